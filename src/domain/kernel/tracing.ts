/** Traces across programs: https://www.w3.org/TR/trace-context/ */

export interface Span {
  /** The position in the trace, for what this span leads to; undefined outside of a trace. */
  readonly traceparent: string | undefined;
  end(result?: SpanResult): void;
}

export interface SpanResult {
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** What went wrong. */
  readonly error?: string | undefined;
}

export interface Tracing {
  /** Starts a span in the trace of `parent`, a `traceparent`, or in a new one. */
  start(name: string, kind: 'server' | 'internal' | 'client', parent: string | undefined): Span;
  /** Sends what has ended. */
  close(): Promise<void>;
}

const OUTSIDE: Span = { traceparent: undefined, end: () => undefined };

/** Passes traces on, without spans of its own. */
export const PASS_TRACES_ON: Tracing = {
  start: (_name, _kind, traceparent) => (traceparent === undefined ? OUTSIDE : { traceparent, end: OUTSIDE.end }),
  close: () => Promise.resolve(),
};

/** Version 00, and what later versions must begin with: §3.2. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?=$|-)/u;

/** The `traceparent` of a request in the form of version 00; undefined if there is none that is valid. */
export function parseTraceparent(header: string | undefined): string | undefined {
  const found = header === undefined ? undefined : TRACEPARENT.exec(header)?.[0];
  if (found === undefined || (found.startsWith('00') && found !== header)) return undefined;
  return `00${found.slice(2)}`;
}
