export class Server {
  async reachable(): Promise<boolean> {
    return false
  }
}
