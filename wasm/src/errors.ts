/** Something that cannot be read as what it should be: what came from outside, and not a fault here. The message says what. */
export class FormatError extends Error {
  override name = 'FormatError'
}

/** A rule set with an option that does not exist or has a value it cannot take. */
export class OptionError extends FormatError {
  override name = 'OptionError'
  /** The option's name. */
  readonly option: string

  /** @internal */
  constructor(option: string) {
    super(`rules: option ${option} has a value it cannot take`)
    this.option = option
  }
}

/**
 * The module broke down, by a fault of its own; the message has what it said. It is started anew: later calls are answered
 * as if nothing had happened, and matches go on.
 */
export class ModuleError extends Error {
  override name = 'ModuleError'
}
