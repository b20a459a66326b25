/** Something that cannot be read as what it should be. */
export class FormatError extends Error {
  override name = 'FormatError'
}

/** A rule set with an option that does not exist or has a value it cannot take. */
export class OptionError extends FormatError {
  override name = 'OptionError'
  constructor(readonly option: string) {
    super(`rules: option ${option} has a value it cannot take`)
  }
}

/** The module broke down. It has been started anew: later calls are answered as if nothing had happened. */
export class ModuleError extends Error {
  override name = 'ModuleError'
}
