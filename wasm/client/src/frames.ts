import type { components, FromClient, FromServer } from './schema.gen.js'

type Schemas = components['schemas']

/** The topic of a match that one plays in. */
export type MatchTopic = `match:${string}`
/** What can be followed: a match, one's notices, and what one is taken up with. */
export type Topic = MatchTopic | 'notices' | 'engagement'

/** Every frame that the server sends, told apart by `type`; see `asyncapi.yaml`. */
export type ServerFrame = FromServer
/** Every frame that a client sends, told apart by `type`. */
export type ClientFrame = FromClient

/** Something happened in a match. Of several that come together only the last has the view. */
export type EventFrame = Schemas['EventFrame']
/** A match as it is, where no event carries it. */
export type SnapshotFrame = Schemas['SnapshotFrame']
/** Somebody at the table says something. It has no number: whoever was away has missed it. */
export type SaidFrame = Schemas['SaidFrame']
/** One is told something. */
export type NoticeFrame = Schemas['NoticeFrame']
/** How many notices are not read, where no notice carries it. */
export type InboxFrame = Schemas['InboxFrame']
/** What one is taken up with, whole. */
export type EngagementFrame = Schemas['EngagementFrame']

/** The frames that a follower of the topic gets. */
export type FrameOf<T extends Topic> = T extends MatchTopic
  ? EventFrame | SnapshotFrame | SaidFrame
  : T extends 'notices' ? NoticeFrame | InboxFrame : EngagementFrame
/** Any frame that a follower gets, told apart by `type`. */
export type Frame = FrameOf<Topic>
