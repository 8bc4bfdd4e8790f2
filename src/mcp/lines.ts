/**
 * JSON-RPC over a pair of streams, one message a line, for the SDK's stdio server. Ours, because the SDK's own gives up the connection at
 * a message that is too long, and leaves requests unanswered whose client has closed its end already, as `echo … | stockroom mcp` does.
 */
import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, type Transport, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { BODY_MAX_BYTES } from '../contract/limits.ts';

const LINE_MAX_BYTES = 16 * BODY_MAX_BYTES;
/** How long answers may take after the client has closed its end. */
const LAST_ANSWERS_MS = 10_000;
/** JSON-RPC 2.0 §5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NEWLINE = 0x0a;

/** `onEnd` is called once, when nothing more will be read or written. */
export function lineTransport(input: Readable, output: Writable, onEnd: () => void): Transport {
  const unanswered = new Set<string | number>();
  let ended = false;
  let closed = false;

  const transport: Transport = {
    start() {
      const lines = takeLines(take, () => refuse(INVALID_REQUEST, `a message may have at most ${String(LINE_MAX_BYTES)} bytes`));
      input.on('data', lines.add);
      input.once('end', () => {
        lines.end();
        ended = true;
        closeWhenAnswered();
        setTimeout(close, LAST_ANSWERS_MS).unref();
      });
      input.once('error', close);
      // The client has gone.
      output.once('error', close);
      return Promise.resolve();
    },
    send(message) {
      if (closed) return Promise.resolve();
      return new Promise((resolve) => {
        output.write(`${JSON.stringify(message)}\n`, () => resolve());
        if (!('method' in message) && message.id !== undefined) unanswered.delete(message.id);
        closeWhenAnswered();
      });
    },
    close() {
      close();
      return Promise.resolve();
    },
  };
  return transport;

  function take(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch (error) {
      const isJson = !(error instanceof SyntaxError);
      refuse(isJson ? INVALID_REQUEST : PARSE_ERROR, isJson ? 'the line is no JSON-RPC message' : 'the line is not JSON');
      return;
    }
    remember(message);
    transport.onmessage?.(message);
  }

  function remember(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    // A subscription is never answered, and neither is what was cancelled.
    if ('id' in message) {
      if (message.method !== 'subscriptions/listen') unanswered.add(message.id);
    } else if (message.method === 'notifications/cancelled') {
      unanswered.delete((message.params as { requestId?: string | number } | undefined)?.requestId ?? '');
    }
  }

  function refuse(code: number, message: string): void {
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`);
  }

  function closeWhenAnswered(): void {
    if (ended && unanswered.size === 0) close();
  }

  function close(): void {
    if (closed) return;
    closed = true;
    input.removeAllListeners('data').pause();
    transport.onclose?.();
    onEnd();
  }
}

/** Cuts what comes into lines, of which the last need not be ended; a line that is too long is thrown away as it comes. */
function takeLines(take: (line: string) => void, tooLong: () => void): { add(chunk: Buffer): void; end(): void } {
  let parts: Buffer[] = [];
  let size = 0;
  const end = (): void => {
    const line = size > LINE_MAX_BYTES ? undefined : Buffer.concat(parts).toString('utf8');
    parts = [];
    size = 0;
    if (line === undefined) tooLong();
    else take(line);
  };
  return {
    add(chunk) {
      let rest = chunk;
      for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
        parts.push(rest.subarray(0, at));
        size += at;
        rest = rest.subarray(at + 1);
        end();
      }
      size += rest.length;
      if (size > LINE_MAX_BYTES) parts = [];
      else if (rest.length > 0) parts.push(rest);
    },
    end,
  };
}
