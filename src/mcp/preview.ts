/**
 * Previews of changes. A preview is a dry run; its token proves that the call which applies it has the same inputs, and that it is not older than
 * ten minutes. The token is a time and an HMAC, so that no daemon has to remember previews.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type FieldProblem } from '../contract/errors.ts';
import { PREVIEW_INPUTS, PREVIEW_MIN, type Tool } from '../contract/mcp-tools.ts';
import { type ToolArguments, createProblem } from './tool-arguments.ts';

const OWN_INPUTS: ReadonlySet<string> = new Set(PREVIEW_INPUTS);

export const isPreview = (args: ToolArguments): boolean => args['preview'] === true;

/** The token of a preview with these inputs. `secret`: not known to the model, the same for all calls of a client. */
export function createPreviewToken(tool: Tool, args: ToolArguments, secret: string, now = Date.now()): string {
  const expiresAt = String(now + PREVIEW_MIN * 60_000);
  return `${expiresAt}.${sign(tool, args, secret, expiresAt)}`;
}

/** What the call that applies a change lacks. */
export function checkApplication(tool: Tool, args: ToolArguments, secret: string): readonly FieldProblem[] {
  const token = args['preview_token'];
  const required = ['preview_token', 'confirm', 'idempotency_key'].filter((name) => args[name] === undefined);
  if (required.length > 0)
    return required.map((name) =>
      createProblem(name, 'required', `${name} is required, unless preview is true; call ${tool.name} with preview first`),
    );
  return typeof token === 'string' && isValid(tool, args, secret, token)
    ? []
    : [
        createProblem(
          'preview_token',
          'not_allowed',
          `preview_token is not that of a preview with these inputs in the last ${String(PREVIEW_MIN)} minutes; preview again`,
        ),
      ];
}

function isValid(tool: Tool, args: ToolArguments, secret: string, token: string): boolean {
  const [expiresAt = '', given = ''] = token.split('.');
  const [expected, actual] = [sign(tool, args, secret, expiresAt), given].map((text) => Buffer.from(text));
  return expected?.length === actual?.length && timingSafeEqual(expected!, actual!) && Number(expiresAt) > Date.now();
}

function sign({ name }: Tool, args: ToolArguments, secret: string, expiresAt: string): string {
  const inputs = Object.entries(args).filter(([key]) => !OWN_INPUTS.has(key));
  const text = JSON.stringify([name, expiresAt, inputs.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}
