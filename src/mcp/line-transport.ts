/**
 * JSON-RPC over a pair of streams, one message per line, for the stdio server of the SDK. The SDK's own transport closes the connection
 * after a message that is too long, and does not answer requests once the client has closed its end, as `echo … | stockroom mcp` does.
 */
import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, type Transport, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { BODY_MAX_BYTES } from '../contract/limits.ts';

const LINE_MAX_CHARS = 16 * BODY_MAX_BYTES;
/** How long replies may take after the client has closed its end. */
const FINAL_REPLIES_TIMEOUT_MS = 10_000;
/** JSON-RPC 2.0 §5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** `onEnd` is called once, after the last message has been read and written. */
export function createLineTransport(input: Readable, output: Writable, onEnd: () => void): Transport {
  const unanswered = new Set<string | number>();
  let ended = false;
  let closed = false;

  const transport: Transport = {
    start() {
      const lines = splitLines(handleLine, () => writeError(INVALID_REQUEST, `the message is larger than ${String(LINE_MAX_CHARS)} bytes`));
      input.setEncoding('utf8').on('data', lines.add);
      input.once('end', () => {
        lines.end();
        ended = true;
        closeWhenAnswered();
        setTimeout(close, FINAL_REPLIES_TIMEOUT_MS).unref();
      });
      input.once('error', close);
      // The client has closed its end for reading.
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

  function handleLine(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch (error) {
      const isJson = !(error instanceof SyntaxError);
      writeError(isJson ? INVALID_REQUEST : PARSE_ERROR, isJson ? 'the line is not a JSON-RPC message' : 'the line is not valid JSON');
      return;
    }
    trackRequest(unanswered, message);
    transport.onmessage?.(message);
  }

  function writeError(code: number, message: string): void {
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

/** Adds the id of a request that gets a reply to `unanswered`, and removes that of a cancelled one. */
function trackRequest(unanswered: Set<string | number>, message: JSONRPCMessage): void {
  if (!('method' in message)) return;
  // Subscriptions and cancelled requests get no reply.
  if ('id' in message) {
    if (message.method !== 'subscriptions/listen') unanswered.add(message.id);
  } else if (message.method === 'notifications/cancelled') {
    unanswered.delete((message.params as { requestId?: string | number } | undefined)?.requestId ?? '');
  }
}

/** Splits text into lines; the last line needs no newline. Discards lines that are too long while they arrive. */
function splitLines(onLine: (line: string) => void, onTooLong: () => void): { add(text: string): void; end(): void } {
  let line = '';
  let isTooLong = false;
  const end = (): void => {
    if (isTooLong) onTooLong();
    else onLine(line);
    line = '';
    isTooLong = false;
  };
  return {
    add(text) {
      for (const [at, part] of text.split('\n').entries()) {
        if (at > 0) end();
        line += part;
        isTooLong ||= line.length > LINE_MAX_CHARS;
        if (isTooLong) line = '';
      }
    },
    end,
  };
}
