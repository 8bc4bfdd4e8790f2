/** What side effects work with, and how they report that something is not possible. */
import { ApiError, Unreachable } from '../../client/errors.ts';
import type { Dispatch, Source } from '../sources/source.ts';
import type { State } from '../state/model.ts';
import type { Handover } from '../terminal/handover.ts';

export interface EffectContext {
  readonly source: Source;
  readonly state: () => State;
  readonly dispatch: Dispatch;
  /** Writes to the terminal outside the frame. */
  readonly write: (text: string) => void;
  readonly handover: Handover;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export const LOCAL_ONLY = 'Available only for the local daemon';

export class NotPossible extends Error {}

/** Whether a failure is shown to the user. Others end the dashboard. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof ApiError || error instanceof Unreachable || error instanceof NotPossible;
