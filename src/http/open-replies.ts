/** Replies that stay open until the client or the server ends them: the event feed, and JSON after which the end of the connection is noticed. */
import type { ServerResponse } from 'node:http';
import type { Server } from '@hapi/hapi';
import { JSON_TYPE, type Reply } from './response/reply.ts';

export interface OpenReplies {
  /** Writes the text every few seconds, so that both sides notice when the connection breaks. */
  keepOpen(response: ServerResponse, heartbeat: string): void;
  /** Writes the reply and a line break. More of them follow, which JSON ignores. */
  write(response: ServerResponse, reply: Reply): void;
}

const HEARTBEAT_MS = 15_000;

/** They end when the server stops. */
export function createOpenReplies(server: Server): OpenReplies {
  const open = new Set<ServerResponse>();
  server.ext('onPreStop', () => {
    for (const response of open) response.end();
  });
  const keepOpen = (response: ServerResponse, heartbeat: string): void => {
    open.add(response);
    const timer = setInterval(() => response.write(heartbeat), HEARTBEAT_MS);
    response.once('close', () => {
      clearInterval(timer);
      open.delete(response);
    });
  };
  return {
    keepOpen,
    write(response, { status, body }) {
      // The client has disconnected: no event would end it.
      if (response.closed) return;
      response.writeHead(status, { 'content-type': JSON_TYPE, 'cache-control': 'no-store' });
      response.write(`${body}\n`);
      keepOpen(response, '\n');
    },
  };
}
