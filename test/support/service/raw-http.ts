/** What no HTTP client sends. */
import { connect } from 'node:net';

/** Sends bytes to a service on this machine and resolves with everything that comes back until the server closes. `onData` sees what has come so far. */
export function sendBytes(url: string, bytes: string, onData?: (soFar: string, write: (more: string) => void) => void): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port: Number(port) }, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      text += part;
      onData?.(text, (more) => socket.write(more));
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}
