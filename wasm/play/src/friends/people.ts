import { ask } from '@cuatrola/client'
import { useLoad, type Loaded } from '@cuatrola/ui'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../game/client'

type Page = Schemas['FriendPage']

/** A list of people, of which the next page can be added. */
export interface People extends Loaded<Page> {
  more: () => Promise<void>
}

const limit = 50

/** One list; asked anew whenever one of the inputs changes. */
function useList(load: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page>, inputs: readonly unknown[]): People {
  const list = useLoad((signal) => load(undefined, signal), inputs)
  return {
    ...list,
    more: async () => {
      const { data } = list
      if (!data?.nextCursor) return
      const next = await load(data.nextCursor)
      list.put({ people: [...data.people, ...next.people], nextCursor: next.nextCursor })
    },
  }
}

const at = (cursor: string | undefined) => ({ limit, ...(cursor && { cursor }) })

/** All of one's lists. */
export function usePeople(version: unknown): { friends: People; asked: People; sent: People; blocked: People; reload: () => void } {
  const [turn, setTurn] = useState(0)
  const inputs = [version, turn]
  const requests = (direction: 'received' | 'sent') => (cursor: string | undefined, signal?: AbortSignal) =>
    ask(api.GET('/v1/friends/requests', { params: { query: { ...at(cursor), direction } }, ...(signal && { signal }) }))
  return {
    friends: useList((cursor, signal) => ask(api.GET('/v1/friends', { params: { query: at(cursor) }, ...(signal && { signal }) })), inputs),
    asked: useList(requests('received'), inputs),
    sent: useList(requests('sent'), inputs),
    blocked: useList((cursor, signal) => ask(api.GET('/v1/blocks', { params: { query: at(cursor) }, ...(signal && { signal }) })), inputs),
    reload: () => setTurn((n) => n + 1),
  }
}
