/** Requests for operations: path, query and body from arguments and flags, with the ids of records that were named. */
import type { Reply, SendOptions } from '../../client/client.ts';
import type { LooseParts } from '../../client/request.ts';
import type { Operation, ResultOf } from '../../contract/operation.ts';
import { withExplanation } from '../errors/explained-error.ts';
import { usageError } from '../errors/failure.ts';
import { listInstantFlags, toQuery } from '../input/operation-flags.ts';
import { type ResolveContext, resolveBody, resolveParams, resolveQuery } from '../input/resolve-names.ts';
import { END_OF_DAY, parseInstant } from '../input/timestamp.ts';
import { getResourceSchema, isId, listFields, listLeafFields } from '../output/fields.ts';
import type { View } from '../output/printer.ts';
import { withWaitIndicator } from '../output/wait-indicator.ts';
import type { Parsed, ServiceContext, ServiceSession } from '../session/session.ts';

/** The path and the query of a request. */
export interface ReadParts extends LooseParts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

type RequestContext = Parsed & { readonly session: ServiceSession };

/** Returns the view of an operation's resource: all fields, and `columns` or all leaf fields as columns. */
export function getView(op: Pick<Operation, 'result'>, columns?: readonly string[]): View {
  const resource = getResourceSchema(op.result);
  return { fields: listFields(resource), columns: columns ?? listLeafFields(resource) };
}

/** Builds the path and the query of a request; names of records are replaced by their ids. */
export async function toRequestParts({ args, flags, session }: RequestContext, op: Operation): Promise<ReadParts> {
  const names = Object.keys(op.params?.properties ?? {});
  // Usually an unset variable of a script.
  const empty = names.find((name) => args[name] === '');
  if (empty !== undefined) throw usageError(`${empty.toUpperCase()} must not be empty`);
  const tenant = await session.getTenant(op, flags);
  const query = omitUndefined({ tenant, ...omitUndefined(toQuery(op, flags)) });
  const lookup = createLookup(session, query['tenant']);
  const params = await resolveParams(op.params, Object.fromEntries(names.map((name) => [name, String(args[name])])), lookup);
  return { params, query: await resolveQuery(op.query, query, { ...lookup, params }) };
}

/** Like `toRequestParts`, with a body. */
export async function toWriteParts(context: RequestContext, op: Operation, body: Readonly<Record<string, unknown>>) {
  const parts = await toRequestParts(context, op);
  const lookup = { ...createLookup(context.session, parts.query['tenant']), params: parts.params };
  return { ...parts, body: await resolveBody(op.body, body, lookup) };
}

const createLookup = (session: ServiceSession, tenant: string | undefined): Omit<ResolveContext, 'params'> => ({
  connectTo: (list) => session.connectToList(list, tenant),
});

/** Converts the flags for points in time to timestamps: `2h` means two hours ago. */
export async function resolveInstants<C extends RequestContext>(context: C, op: Operation): Promise<C> {
  const { flags, session } = context;
  const instants: Record<string, string> = {};
  for (const { flag, isStateTime } of listInstantFlags(op.query?.properties ?? {})) {
    const text = flags[flag];
    if (typeof text !== 'string') continue;
    const getNow = () => withWaitIndicator(session.getServiceTime());
    instants[flag] = await parseInstant(text, getNow, `--${flag}`, isStateTime ? END_OF_DAY : undefined);
  }
  return { ...context, flags: { ...flags, ...instants } };
}

/** Sends a request and waits for the response, at a terminal with the elapsed time. */
export async function sendRequest<const O extends Operation>(
  { session }: Pick<ServiceContext, 'session'>,
  op: O,
  parts: LooseParts,
  options: SendOptions = {},
): Promise<Reply<ResultOf<O>>> {
  const client = await session.connect();
  return withWaitIndicator(
    withExplanation(client.perform(op, parts, options), ({ code }) => {
      const message = code === 'NOT_FOUND' ? describeMalformedId(op, parts.params ?? {}) : undefined;
      return message === undefined ? undefined : { message };
    }),
  );
}

/** Builds a request from the arguments and flags, and sends it. */
export const requestOnce = async <const O extends Operation>(context: ServiceContext, op: O): Promise<Reply<ResultOf<O>>> =>
  sendRequest(context, op, await toRequestParts(context, op));

/** `No item with id "nope"`, for the first id in the path that is no UUID: for the API the path is a route that does not exist. */
function describeMalformedId({ params }: Operation, ids: Readonly<Record<string, string>>): string | undefined {
  for (const [name, schema] of Object.entries(params?.properties ?? {})) {
    const isUuid = schema.kind === 'string' && schema.format === 'uuid';
    if (isUuid && !isId(ids[name])) return `No ${name.replace(/_id$/u, '').replaceAll('_', ' ')} with id "${ids[name] ?? ''}"`;
  }
  return undefined;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

// Without the undefined values, the rest has the type of what was given.
export const omitUndefined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
