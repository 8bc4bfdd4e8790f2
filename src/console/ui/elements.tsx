/** Small parts of every view: statuses, states of a read, buttons. */
import type { ReactNode } from 'react';
import { describeError, isForbidden, isOffline, toLabel } from '../api/index.ts';
import { Icon, type IconName } from './icon.tsx';

const TONES: Readonly<Record<string, readonly string[]>> = {
  good: ['delivered', 'approved', 'completed', 'active', 'full', 'ok', 'pass'],
  busy: ['open', 'in_progress', 'submitted', 'retrying', 'pending', 'partial', 'waiting'],
  bad: ['failed', 'cancelled', 'disabled', 'low', 'oversold', 'late', 'fail', 'inactive', 'discarded', 'urgent'],
};

const getTone = (value: string): string => Object.keys(TONES).find((tone) => TONES[tone]?.includes(value)) ?? 'plain';

export const Status = ({ value, tone }: { readonly value: string; readonly tone?: string }) => (
  <span className={`status ${tone ?? getTone(value)}`}>{toLabel(value)}</span>
);

export interface SectionProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly isCard?: boolean;
  readonly children: ReactNode;
}

export const Section = ({ title, action, isCard = false, children }: SectionProps) => (
  <section className={isCard ? 'section card block' : 'section'}>
    <header>
      <h2>{title}</h2>
      {action}
    </header>
    {children}
  </section>
);

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {children !== undefined && <p>{children}</p>}
  </div>
);

/** What is shown instead of a result that could not be read. */
export function Failure({ error }: { readonly error: unknown }) {
  if (isOffline(error)) return <Empty title="The service does not answer">This view is read again when it is back.</Empty>;
  const title = isForbidden(error) ? 'Not available in this session' : 'This could not be read';
  return <Empty title={title}>{describeError(error)}</Empty>;
}

/** Why something could not be done. */
export const Problem = ({ error }: { readonly error: unknown }) =>
  error === undefined || error === null ? null : (
    <p className="form-error" role="alert">
      {describeError(error)}
    </p>
  );

export const Loading = () => (
  <p className="loading" role="status">
    Loading…
  </p>
);

/** A body as text; JSON is indented. */
export const Payload = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <pre tabIndex={0} role="group" aria-label={label}>
    {indent(text) || '(empty)'}
  </pre>
);

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export interface ButtonProps {
  readonly children: ReactNode;
  readonly onClick?: () => void;
  readonly icon?: IconName;
  readonly kind?: 'normal' | 'main' | 'danger' | 'quiet';
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly title?: string;
  readonly isPressed?: boolean;
}

export const Button = ({ children, onClick, icon, kind = 'normal', disabled, type = 'button', title, isPressed }: ButtonProps) => (
  <button className={`button ${kind}`} onClick={onClick} disabled={disabled} type={type} title={title} aria-pressed={isPressed}>
    {icon && <Icon name={icon} />}
    <span>{children}</span>
  </button>
);

/** A button that only has an icon. */
export const IconButton = ({ name, label, onClick }: { readonly name: IconName; readonly label: string; readonly onClick: () => void }) => (
  <button type="button" className="button quiet icon-button" aria-label={label} title={label} onClick={onClick}>
    <Icon name={name} />
  </button>
);
