/** The tools over streamable HTTP: one POST, one answer. What the short way cannot take goes to the SDK, loaded when first needed. */
import type { Caller } from './call.ts';
import { shortWay } from './short-way.ts';
import { toolSet } from './tool-set.ts';

/** A POST whose key, Host, Origin, size and media type have been checked. */
export interface Exchange {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON. */
  readonly body: unknown;
  readonly caller: Caller;
  /** Fires when the client has gone, or the server stops. */
  readonly signal: () => AbortSignal;
}

export interface EndpointReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON; a stream only for what goes on, such as a subscription. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array>;
}

export interface Endpoint {
  answer(exchange: Exchange): Promise<EndpointReply>;
}

export function toolEndpoint(version: string): Endpoint {
  const set = toolSet(version);
  let sdk: Promise<(exchange: Exchange) => Promise<EndpointReply>> | undefined;
  return {
    async answer(exchange) {
      const body = await shortWay(set, exchange);
      if (body) return { status: 200, headers: [], body };
      sdk ??= import('./sdk-http.ts').then(({ sdkHttp }) => sdkHttp(set));
      return (await sdk)(exchange);
    },
  };
}
