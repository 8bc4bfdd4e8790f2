import type { Request } from '@hapi/hapi';

/** What an operation reads of a request. */
export interface OperationRequest extends Pick<Request, 'method' | 'path' | 'headers' | 'params' | 'query' | 'payload'> {
  readonly app: Pick<Request['app'], 'requestId' | 'traceparent' | 'forwarded'>;
  readonly info: Pick<Request['info'], 'remoteAddress'>;
  /** Only HTTP requests. */
  readonly raw?: {
    readonly req: { readonly rawHeaders: readonly string[]; readonly url?: string | undefined };
    readonly res: Pick<Request['raw']['res'], 'closed' | 'once' | 'removeListener'>;
  };
}
