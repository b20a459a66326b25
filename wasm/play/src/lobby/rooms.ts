import { ask } from '@cuatrola/client'
import { api, type Schemas } from '../game/client'

type Engagement = Schemas['Engagement']

/** What is asked of rooms comes back as an engagement, which says the same as the one that the socket will bring. */
const inRoom = (now: Engagement | null, room: Schemas['Room']): Engagement => ({
  kind: 'room', id: room.id, seq: now?.seq ?? 0, reason: 'joined', since: now?.kind === 'room' ? now.since : room.createdAt, room,
})

const free = (now: Engagement): Engagement => ({ kind: 'none', id: null, seq: now.seq, reason: 'left', since: now.since })

export async function joinRoom(now: Engagement | null, code: string): Promise<Engagement> {
  return inRoom(now, await ask(api.POST('/v1/rooms/join', { body: { code } })))
}

export async function createRoom(now: Engagement | null, body: Schemas['NewRoom'], key: string): Promise<Engagement> {
  return inRoom(now, await ask(api.POST('/v1/rooms', { params: { header: { 'Idempotency-Key': key } }, body })))
}

export async function leaveRoom(now: Engagement, playerId: string): Promise<Engagement> {
  await ask(api.DELETE('/v1/rooms/{roomId}/members/{playerId}', { params: { path: { roomId: now.id!, playerId } } }))
  return free(now)
}

export async function leaveQueue(): Promise<Engagement> {
  return ask(api.DELETE('/v1/queue'))
}

export { inRoom }
