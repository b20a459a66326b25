import { Page } from '../ui'

export default function Own() {
  return <Page title="…">{null}</Page>
}
