/** The form of a request step, and the loop that runs a list of them. The lists themselves are in `server.ts`. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Caller } from '../../api/handler.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Service } from '../service.ts';

type StepResult = ResponseObject | symbol | undefined;

/**
 * A named step of a request. Returning undefined continues with the next step, returning a response, `h.continue` or `h.abandon` ends the
 * list, and throwing rejects the request.
 */
export interface RequestStep<Context> {
  readonly name: string;
  readonly run: (request: Request, context: Context, h: ResponseToolkit) => StepResult | Promise<StepResult>;
}

/** A step that needs an authenticated caller and an operation: of an API request, or of one of the tool calls in an MCP request. */
export interface CallerStep {
  readonly name: string;
  readonly run: (request: Request, caller: Caller, operation: Operation, service: Service) => Promise<undefined> | undefined;
}

/**
 * Runs steps in order; `onError` is called with what they throw. On the path of every request: in async functions, an iterator and an
 * `await` of undefined would cost more than most steps, so there are neither.
 */
export async function runSteps<Context>(
  steps: readonly RequestStep<Context>[],
  request: Request,
  context: Context,
  h: ResponseToolkit,
  onError?: (request: Request, error: unknown) => Promise<never>,
): Promise<ResponseObject | symbol> {
  try {
    for (let at = 0; at < steps.length; at += 1) {
      const pending = steps[at]!.run(request, context, h);
      const result = pending === undefined ? undefined : await pending;
      if (result !== undefined) return result;
    }
  } catch (error) {
    if (onError) return onError(request, error);
    throw error;
  }
  return h.continue;
}
