import { ask } from '@cuatrola/client'
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../game/client'
import { joinRoom } from '../lobby/rooms'
import { randomHex } from '../random'
import { useSession } from '../session'

/** Yes to an invitation: into the room, or into the queue as a pair. What is refused is thrown as a Problem. */
export function useYes(): { room: (code: string) => Promise<void>; pair: (invitation: Schemas['QueueInvitation']) => Promise<void> } {
  const { engagement, engage } = useSession()
  const { route } = useLocation()
  return {
    room: async (code) => {
      // The page says what is the matter with a room that cannot be entered.
      const next = await joinRoom(engagement, code).catch(() => null)
      if (next) engage(next)
      route('/r/' + code)
    },
    pair: async ({ rules, stake, from }) => {
      engage(await ask(api.POST('/v1/queue', { params: { header: { 'Idempotency-Key': randomHex(16) } }, body: { rules, stake, partnerId: from.id } })))
      route('/queue')
    },
  }
}

/** Friends who wait to play as a pair. */
export const pairInvitations = async (signal?: AbortSignal) => (await ask(api.GET('/v1/queue/invitations', signal ? { signal } : {}))).invitations
