/** Modal dialogs, and the panel beside a list. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, type ButtonProps, IconButton } from './elements.tsx';
import { useKeys } from './keys.ts';

const SIZES = { small: 'w-[min(30rem,calc(100vw-1rem))]', large: 'w-[min(50rem,calc(100vw-1rem))]' } as const;

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly size?: keyof typeof SIZES;
}

/** The browser keeps the focus inside, and returns it when the dialog is closed. */
export function Dialog({ title, onClose, children, size = 'small' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
    // Not the button that closes it, which comes first.
    element.current?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea, [type=submit])')?.focus();
  }, []);
  return (
    <dialog
      ref={element}
      className={`m-auto max-h-[calc(100dvh-2rem)] rounded-lg border bg-card text-ink shadow-float backdrop:bg-[rgb(0_0_0/35%)] ${SIZES[size]}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className="sticky top-0 z-2 flex items-center justify-between gap-2 bg-card pt-3 pr-3 pb-2 pl-5">
        <h2 className="text-lg wrap-anywhere" dir="auto">
          {title}
        </h2>
        <IconButton name="close" label="Close" onClick={onClose} />
      </header>
      <div className="dialog-body grid gap-3.5 px-5 pt-1 pb-5">{children}</div>
    </dialog>
  );
}

type DialogButtonProps = Omit<ButtonProps, 'children' | 'onClick'> & {
  readonly label: string;
  readonly children: (close: () => void) => ReactNode;
};

/** A button that opens a dialog. */
export function DialogButton({ label, children, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}

/** Beside the list, on narrow screens above it. */
const PANEL = `panel flex w-[min(34rem,48%)] flex-col border-l bg-card max-lg:absolute max-lg:inset-y-0 max-lg:right-0 max-lg:z-4
  max-lg:w-[min(34rem,100%)] max-lg:shadow-float max-sm:w-full max-sm:border-0`;

interface PanelProps {
  readonly title: ReactNode;
  readonly label: string;
  readonly onClose: () => void;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, label, onClose, actions, children }: PanelProps) {
  useKeys({ Escape: onClose });
  return (
    <aside className={PANEL} aria-label={label}>
      <header className="flex items-start justify-between gap-2 pt-3.5 pr-3 pb-2 pl-side">
        <h2 className="line-clamp-3 pt-1 text-lg wrap-anywhere" dir="auto">
          {title}
        </h2>
        <IconButton name="close" label="Close details" onClick={onClose} />
      </header>
      {actions !== undefined && <div className="actions border-b px-side pb-3">{actions}</div>}
      <div className="min-h-0 flex-1 overflow-y-auto px-side pt-3.5 pb-6" tabIndex={0} role="group" aria-label={`${label}: content`}>
        {children}
      </div>
    </aside>
  );
}
