/** Shows and writes records. */
import type { Reply } from '../../client/client.ts';
import { type LooseParts, toRequest } from '../../client/request.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { isEmptyBody, readRequestBody } from '../input/request-body.ts';
import type { Output } from '../command-output.ts';
import type { ServiceContext } from '../session/session.ts';
import type { View } from '../output/printer.ts';
import { printNamed } from './name-references.ts';
import { getView, requestOnce, sendRequest, toRequestParts, toWriteParts } from './request.ts';

type Json = Readonly<Record<string, unknown>>;

/** Fields that a command adds to the body of the user, if necessary computed from it. */
export type ExtraFields = Json | ((body: Json) => Promise<Json>);

/** Prints one record. `toView`: what tables without chosen columns show instead of the record and its fields. */
export async function showRecord(
  context: ServiceContext,
  op: Operation,
  toView?: (data: unknown, view: View) => Promise<{ data: unknown; view: View }>,
): Promise<void> {
  const { output } = context;
  const view = output.validateView(getView(op));
  const { body, text } = (await requestOnce(context, op)) as Reply as Reply<{ data: unknown }>;
  const shown = toView && output.isPlainTable ? await toView(body.data, view) : { data: body.data, view };
  await printNamed(context, op, shown.data as object, shown.view, text);
}

/** Sends a body and prints the record in the response; with `--dry-run` prints the request instead. */
export async function writeRecord(context: ServiceContext, op: Operation, more: ExtraFields = {}): Promise<Reply | undefined> {
  const { output } = context;
  const view = output.validateView(getView(op));
  const reply = await submitRecord(context, op, more);
  if (reply) await printNamed(context, op, (reply.body as { data: object }).data, view, reply.text);
  return reply;
}

/** Sends a body and returns the response; undefined for a dry run. */
export async function submitRecord(context: ServiceContext, op: Operation, more: ExtraFields = {}): Promise<Reply | undefined> {
  const { flags, output } = context;
  const typed = await readRequestBody(op, flags);
  const body = { ...typed, ...(typeof more === 'function' ? await more(typed) : more) };
  if (op.method === 'PATCH' && isEmptyBody(body))
    throw usageError('No changes given', 'Set at least one field with its flag, --set or --data');
  const parts = op.body ? await toWriteParts(context, op, body) : await toRequestParts(context, op);
  if (flags['dry-run'] === true) {
    // That of the command; a dry run of the service is another command.
    await printDryRunRequest(output, op, { ...parts, query: { ...parts.query, dry_run: undefined } });
    return undefined;
  }
  return sendRequest(context, op, parts, { idempotencyKey: getIdempotencyKey(context) });
}

export const getIdempotencyKey = ({ flags }: Pick<ServiceContext, 'flags'>): string | undefined =>
  flags['idempotency-key'] as string | undefined;

/** Prints a request instead of sending it, if the service would accept its body. */
export async function printDryRunRequest(output: Output, op: Operation, parts: LooseParts): Promise<void> {
  const { method, path, body } = toRequest(op, parts);
  if (op.body && body !== undefined) {
    const { validateBody } = await import('../../contract/schema/field-problems.ts');
    const fields = validateBody(op.body, JSON.parse(body));
    if (fields.length > 0) throw new Failure('VALIDATION_FAILED', 'The request is invalid', { fields });
  }
  await printRequest(output, { method, path, body });
  output.printNote('Dry run: nothing was sent');
}

/** Prints a request, with `--json` as an object. */
export async function printRequest(
  output: Output,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string | undefined },
): Promise<void> {
  const json = `{"method":"${method}","path":${JSON.stringify(path)},"body":${body ?? 'null'}}`;
  await output.printText(json, `${method} ${path}\n${body === undefined ? '' : `${body}\n`}`);
}
