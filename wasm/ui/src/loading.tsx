import type { ComponentChildren } from 'preact'
import type { Loaded } from './hooks'
import { ProblemNote, Skeleton } from './notes'

/** What was asked for, once it is there; before that where it will be, and why it did not come. */
export function Loading<T>({ of, lines, tall, children }: {
  of: Loaded<T>
  lines?: number
  tall?: boolean
  children: (data: T) => ComponentChildren
}) {
  return (
    <>
      {of.problem && <ProblemNote problem={of.problem} retry={of.reload} />}
      {of.data !== null ? children(of.data) : !of.problem && <Skeleton lines={lines ?? 4} tall={tall ?? false} />}
    </>
  )
}
