/** Opens a record as YAML in the user's editor, and sends what was changed. */
import type { Reply } from '../../client/client.ts';
import { toRequest } from '../../client/request.ts';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema } from '../../contract/schema/builder.ts';
import { usageError } from '../errors/failure.ts';
import { quoteForShell } from '../errors/hints.ts';
import { withWaitIndicator } from '../output/wait-indicator.ts';
import type { ServiceContext } from '../session/session.ts';
import { getView, sendRequest, toRequestParts } from './request.ts';
import { printDryRunRequest } from './write-record.ts';

type Json = Readonly<Record<string, unknown>>;

/** `get` reads the record, `update` changes it. */
export async function editRecord(context: ServiceContext, get: Operation, update: Operation): Promise<void> {
  const { flags, output, session } = context;
  const view = output.validateView(getView(update));
  const parts = await toRequestParts({ ...context, flags: { ...flags, include: 'lines' } }, get);
  const { body, headers } = (await sendRequest(context, get, parts)) as Reply as Reply<{ data: Json }>;
  const before = pickEditable(update.body, body.data) as Json;
  const { stringify } = await import('yaml');
  const { text, path, remove } = editText(stringify(before, { lineWidth: 0 }), output.canPrompt);
  try {
    const changes = listChanges(before, await parseEdited(text));
    if (Object.keys(changes).length === 0) output.printNote('Nothing was changed');
    else {
      const changeParts = { ...(await toRequestParts({ ...context, args: parts.params }, update)), body: changes };
      if (flags['dry-run'] === true) await printDryRunRequest(output, update, changeParts);
      else {
        const request = { ...toRequest(update, changeParts), ...(headers['etag'] ? { headers: { 'if-match': headers['etag'] } } : {}) };
        const reply = await withWaitIndicator((await session.connect()).send(request));
        await output.printOne(reply.body as { data: unknown }, view, reply.text);
      }
    }
  } catch (error) {
    output.printNote(`Your changes are in ${path}`);
    throw error;
  }
  remove();
}

/** The part of a record that a body can set. */
function pickEditable(schema: AnySchema | undefined, value: unknown): unknown {
  if (schema?.kind === 'array' && Array.isArray(value)) return value.map((entry) => pickEditable(schema.items, entry));
  if (schema?.kind !== 'object' || typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(schema.properties).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(fields.map(([name, field]) => [name, pickEditable(field, (value as Json)[name])]));
}

async function parseEdited(text: string): Promise<Json> {
  const { LineCounter, parseDocument } = await import('yaml');
  const { contents, errors } = parseDocument(text, { lineCounter: new LineCounter() });
  // The message names line and column, and shows the line.
  if (errors[0]) throw usageError(`The edited text is not valid YAML: ${errors[0].message.split('\n')[0] ?? ''}`);
  const edited: unknown = contents?.toJSON();
  if (typeof edited === 'object' && edited !== null && !Array.isArray(edited)) return edited as Json;
  throw usageError('The edited text must have the fields of the record');
}

/** Fields that differ. A field that was removed is unchanged, as in a request. */
const listChanges = (before: Json, edited: Json): Json =>
  Object.fromEntries(Object.entries(edited).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));

const DEFAULT_EDITOR = process.platform === 'win32' ? 'notepad' : 'vi';

/** Runs the editor on a file that only this user can read. `remove` deletes it. The default editor needs a user. */
function editText(text: string, canPrompt: boolean): { text: string; path: string; remove: () => void } {
  const { VISUAL, EDITOR } = process.env;
  // npx sets EDITOR to the default if the user has none, and that editor needs a user.
  const editor = VISUAL || (EDITOR === DEFAULT_EDITOR ? undefined : EDITOR);
  if (!editor && !canPrompt) throw usageError('Without a terminal, or with --no-input, editing requires VISUAL or EDITOR');
  const { mkdtempSync, readFileSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const { join } = process.getBuiltinModule('node:path');
  const directory = mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'stockroom-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const path = join(directory, 'record.yaml');
  writeFileSync(path, text, { mode: 0o600 });
  // Ctrl-C is for the editor.
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  const command = `${editor || DEFAULT_EDITOR} ${quoteForShell(path)}`;
  const { status, signal } = process.getBuiltinModule('node:child_process').spawnSync(command, { shell: true, stdio: 'inherit' });
  process.off('SIGINT', ignore);
  if (status === 0) return { text: readFileSync(path, 'utf8'), path, remove };
  remove();
  throw usageError(`The editor ended with ${signal ?? `exit code ${String(status)}`}; nothing was changed`);
}
