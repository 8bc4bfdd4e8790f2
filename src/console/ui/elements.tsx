/** Small parts of every view: statuses, states of a read, buttons. */
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { describeError, isForbidden, isOffline, toLabel, useAccess } from '../api/index.ts';
import { Icon, type IconName } from './icon.tsx';

const TONES: Readonly<Record<string, readonly string[]>> = {
  good: ['delivered', 'approved', 'completed', 'active', 'full', 'ok', 'pass'],
  busy: ['open', 'in_progress', 'submitted', 'retrying', 'pending', 'partial', 'waiting'],
  bad: ['failed', 'cancelled', 'disabled', 'low', 'oversold', 'late', 'fail', 'inactive', 'discarded', 'urgent'],
};

const getTone = (value: string): string => Object.keys(TONES).find((tone) => TONES[tone]?.includes(value)) ?? 'plain';

const COLORS: Readonly<Record<string, string>> = {
  good: 'bg-good-back text-good',
  busy: 'bg-busy-back text-busy',
  bad: 'bg-bad-back text-bad',
  plain: 'bg-plain-back text-ink',
};

export const Status = ({ value, tone = getTone(value) }: { readonly value: string; readonly tone?: string }) => (
  <span className={`status inline-block rounded-full px-1.75 text-xs leading-5 whitespace-nowrap ${COLORS[tone] ?? ''}`}>
    {toLabel(value)}
  </span>
);

export interface SectionProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly isCard?: boolean;
  readonly children: ReactNode;
}

export const Section = ({ title, action, isCard = false, children }: SectionProps) => (
  <section className={isCard ? 'card px-4 pt-3 pb-4' : 'mt-5'}>
    <header className="mb-1 flex min-h-7.5 items-center justify-between gap-2">
      <h2>{title}</h2>
      {action}
    </header>
    {children}
  </section>
);

const NOTICE = 'm-auto px-4 py-12 text-center text-balance whitespace-normal wrap-anywhere text-soft';

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={NOTICE}>
    <p className="text-lg font-semibold text-ink">{title}</p>
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
    <p className={`rounded-md px-3 py-2 wrap-anywhere ${COLORS['bad']}`} role="alert">
      {describeError(error)}
    </p>
  );

export const Loading = () => (
  <p className={`loading ${NOTICE}`} role="status">
    Loading…
  </p>
);

/** Instead of a result that is being read, or could not be. */
export const Pending = ({ error }: { readonly error: unknown }) => (error ? <Failure error={error} /> : <Loading />);

/** A body as text; JSON is indented. */
export const Payload = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <Section title={title}>
    <pre tabIndex={0} role="group" aria-label={title}>
      {indent(text) || '(empty)'}
    </pre>
  </Section>
);

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const KINDS = {
  normal: 'border-strong bg-card hover:bg-hover hover:text-ink',
  main: 'border-brand bg-brand text-on-brand hover:brightness-108',
  danger: 'border-strong bg-card text-bad hover:bg-hover',
  quiet: 'quiet border-transparent bg-transparent text-soft hover:bg-hover hover:text-ink',
} as const;

const BUTTON =
  'control inline-flex items-center justify-center gap-1.5 font-medium whitespace-nowrap disabled:cursor-default disabled:opacity-55';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick'> {
  readonly onClick?: () => void;
  readonly icon?: IconName;
  readonly kind?: keyof typeof KINDS;
  /** What it leads to. It is not offered to a session that may not perform it. */
  readonly op?: Operation | undefined;
}

export function Button({ children, icon, kind = 'normal', type = 'button', op, ...button }: ButtonProps) {
  const { can } = useAccess();
  if (op && !can(op)) return null;
  return (
    <button {...button} className={`${BUTTON} px-2.5 aria-pressed:bg-plain-back ${KINDS[kind]}`} type={type}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** A button that only has an icon. */
export const IconButton = ({ name, label, onClick }: { readonly name: IconName; readonly label: string; readonly onClick: () => void }) => (
  <button type="button" className={`${BUTTON} w-7.5 p-0 ${KINDS.quiet}`} aria-label={label} title={label} onClick={onClick}>
    <Icon name={name} />
  </button>
);
