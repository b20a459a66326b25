import type { components } from './schema.gen'

// The contract's types by shorter names.

export type Schemas = components['schemas']
export type Role = Schemas['StaffRole']
export type Member = Schemas['StaffMember']
/** Who is signed in, what they may do, and what unsafe requests must carry. */
export type Session = Schemas['StaffSession']
export type Invitation = Schemas['StaffInvitation']
