/** Replies that stay open after their JSON, so that the end of the connection can be noticed. */
import type { ServerResponse } from 'node:http';
import type { Server } from '@hapi/hapi';
import { JSON_TYPE, type Reply } from './response/reply.ts';

export interface OpenReplies {
  /** Writes the reply and a line break. Line breaks follow, which JSON ignores, so that both sides notice when the connection breaks. */
  write(response: ServerResponse, reply: Reply): void;
}

const HEARTBEAT_MS = 15_000;

/** They end when the server stops. */
export function createOpenReplies(server: Server): OpenReplies {
  const open = new Set<ServerResponse>();
  server.ext('onPreStop', () => {
    for (const response of open) response.end();
  });
  return {
    write(response, { status, body }) {
      // The client has disconnected: no event would end it.
      if (response.closed) return;
      response.writeHead(status, { 'content-type': JSON_TYPE, 'cache-control': 'no-store' });
      response.write(`${body}\n`);
      open.add(response);
      const heartbeat = setInterval(() => response.write('\n'), HEARTBEAT_MS);
      response.once('close', () => {
        clearInterval(heartbeat);
        open.delete(response);
      });
    },
  };
}
