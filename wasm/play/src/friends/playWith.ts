import { ask } from '@cuatrola/client'
import { useTexts, useToast, type MenuItem } from '@cuatrola/ui'
import { DoorOpen, Users } from 'lucide'
import { useLocation } from 'preact-iso'
import { readJSON } from '../device'
import { api } from '../game/client'
import { createRoom } from '../lobby/rooms'
import { roomOf, usualSettings, type Settings } from '../lobby/rulesForm'
import { randomHex } from '../random'
import { useSession } from '../session'
import type { Person } from './acts'
import { texts } from './texts'

/** The ways to play with a friend, as far as one is free for them. What is refused is thrown as a Problem. */
export function usePlayWith(): (friend: Person) => (Omit<MenuItem, 'onSelect'> & { id: string; run: () => Promise<void> })[] {
  const t = useTexts(texts)
  const toast = useToast()
  const { engagement, engage, player } = useSession()
  const { route } = useLocation()
  const invite = async (roomId: string, friend: Person) => {
    await ask(api.POST('/v1/rooms/{roomId}/invites', { params: { path: { roomId } }, body: { playerId: friend.id } }))
    toast.good(t('said_invited', { name: friend.name }))
  }
  return (friend) => {
    const room = engagement?.kind === 'room' ? engagement.room : undefined
    if (room) return room.owner === player?.id ? [{ id: 'room', label: t('to_room'), icon: DoorOpen, run: () => invite(room.id, friend) }] : []
    if (engagement && engagement.kind !== 'none') return []
    return [
      { id: 'pair', label: t('play_pair'), icon: Users, run: async () => route('/queue?with=' + friend.id) },
      {
        id: 'new-room', label: t('new_room'), icon: DoorOpen,
        run: async () => {
          const next = await createRoom(engagement, roomOf({ ...usualSettings, ...readJSON<Settings>('room') }), randomHex(16))
          engage(next)
          route('/r/' + next.room!.code)
          await invite(next.room!.id, friend)
        },
      },
    ]
  }
}
