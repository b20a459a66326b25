import { Component, type ComponentChildren } from 'preact'

/** Shows `instead` where a page's code does not come or fails. With another `key` it begins anew. */
export class Failing extends Component<{ instead: ComponentChildren; children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false }
  override componentDidCatch(err: unknown) {
    console.error(err)
    this.setState({ failed: true })
  }
  override render() {
    return this.state.failed ? this.props.instead : this.props.children
  }
}
