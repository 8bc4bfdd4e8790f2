/** Plays the same steps against a reference and another service, and collects where the replies differ. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type LooseParts, toRequest } from '../client/request.ts';
import type { HttpReply, HttpRequest, Transport } from '../client/transport/transport.ts';
import { API_KEY, IDEMPOTENCY_KEY } from '../contract/headers.ts';
import { type Operation, isIdempotent } from '../contract/operation.ts';
import { type Difference, compareReplies, parseReply } from './compare.ts';
import type { Step } from './probes.ts';

/** How often a request waits for the rate limit of its key. */
const LIMITED_TRIES = 3;

export interface Service {
  readonly transport: Transport;
  readonly key: string;
}

export interface FoundDifference extends Difference {
  readonly operation: string;
  readonly probe: string;
}

export interface Outcome {
  readonly played: number;
  /** Steps that need a record that one of the services does not have. */
  readonly skipped: readonly string[];
  readonly differences: readonly FoundDifference[];
  /** What was made at the other service and could not be deleted: paths. */
  readonly left: readonly string[];
}

export interface RunOptions {
  readonly operations: readonly Operation[];
  /** Called before each request to the other service. */
  readonly pace: () => Promise<void>;
  readonly onProgress: (done: number, total: number) => void;
  /** Ends the run early; what was made is deleted. */
  readonly signal: AbortSignal;
}

export async function playSteps(reference: Service, other: Service, steps: readonly Step[], options: RunOptions): Promise<Outcome> {
  const { operations, pace, onProgress, signal } = options;
  const [expecting, playing] = [new Side(reference), new Side(other)];
  const skipped: string[] = [];
  const differences: FoundDifference[] = [];
  let played = 0;
  for (const [at, step] of steps.entries()) {
    if (signal.aborted) break;
    onProgress(at, steps.length);
    const name = `${step.op.id}: ${step.name}`;
    // The same key at both, for a repetition.
    const idempotencyKey = step.idempotencyKey ?? randomUUID();
    const [left, right] = [expecting.toRequest(step, idempotencyKey), playing.toRequest(step, idempotencyKey)];
    if (!left || !right) {
      skipped.push(name);
      continue;
    }
    await pace();
    const [expected, got] = await Promise.all([expecting.send(step, left), playing.send(step, right)]);
    played += 1;
    for (const difference of compareReplies(expected, got, step.isOwn === true))
      differences.push({ operation: step.op.id, probe: step.name, ...difference });
  }
  return { played, skipped, differences, left: await playing.cleanUp(operations, pace) };
}

class Side {
  readonly #service: Service;
  readonly #ids = new Map<string, string>();
  /** Paths of what was made, oldest first. */
  readonly #made: string[] = [];

  constructor(service: Service) {
    this.#service = service;
  }

  /** Undefined if an id is not known. */
  toRequest(step: Step, idempotencyKey: string): HttpRequest | undefined {
    const { op, params = {}, query = {}, body, key = this.#service.key } = step;
    const parts = this.#resolve({ params, query, body });
    if (parts === undefined) return undefined;
    const { method, path, body: text } = toRequest(op, parts as LooseParts);
    const headers = {
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === null ? {} : { [API_KEY]: key }),
      ...(isIdempotent(op) && step.idempotencyKey !== null ? { [IDEMPOTENCY_KEY]: idempotencyKey } : {}),
    };
    return { method, path, headers, ...(text === undefined ? {} : { body: text }) };
  }

  async send(step: Step, request: HttpRequest): Promise<HttpReply> {
    const reply = await this.#sendPatiently(request);
    const id = reply.status < 300 ? findId(reply.text) : undefined;
    if (id !== undefined && step.save !== undefined) this.#ids.set(step.save, id);
    if (reply.status === 201 && id !== undefined) this.#made.push(`${request.path}/${id}`);
    return reply;
  }

  /** Deletes what was made, newest first. Returns what is left. */
  async cleanUp(operations: readonly Operation[], pace: () => Promise<void>): Promise<readonly string[]> {
    const deletes = operations
      .filter(({ method }) => method === 'DELETE')
      .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u'));
    const left: string[] = [];
    for (const path of this.#made.toReversed()) {
      if (!deletes.some((pattern) => pattern.test(path))) {
        left.push(path);
        continue;
      }
      await pace();
      const { status } = await this.#sendPatiently({ method: 'DELETE', path, headers: { [API_KEY]: this.#service.key } });
      if (status >= 300 && status !== 404) left.push(path);
    }
    return left.toReversed();
  }

  /** A rate limit says nothing about the contract. */
  async #sendPatiently(request: HttpRequest): Promise<HttpReply> {
    for (let tries = 0; ; tries += 1) {
      const reply = await this.#service.transport(request);
      if (reply.status !== 429 || tries === LIMITED_TRIES) return reply;
      await setTimeout(Number(reply.headers['retry-after'] ?? 1) * 1_000);
    }
  }

  /** Replaces `$name` by ids. */
  #resolve<T>(value: T): T | undefined {
    let isComplete = true;
    const text = JSON.stringify(value, (_key, each: unknown) => {
      if (typeof each !== 'string' || !each.startsWith('$')) return each;
      const id = this.#ids.get(each.slice(1));
      isComplete &&= id !== undefined;
      return id;
    });
    return isComplete ? (JSON.parse(text) as T) : undefined;
  }
}

function findId(text: string): string | undefined {
  const { data } = (parseReply(text) ?? {}) as { data?: { id?: string } | { id?: string }[] };
  return (Array.isArray(data) ? data[0] : data)?.id;
}
