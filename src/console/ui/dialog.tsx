/** Modal dialogs, and the panel beside a list. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, type ButtonProps, IconButton } from './elements.tsx';
import { useKeys } from './keys.ts';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly size?: 'small' | 'large';
}

/** The browser keeps the focus inside, and returns it when the dialog is closed. */
export function Dialog({ title, onClose, children, size = 'small' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
    // Not the button that closes it, which comes first.
    element.current?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea, .main)')?.focus();
  }, []);
  return (
    <dialog
      ref={element}
      className={`dialog ${size}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 dir="auto">{title}</h2>
        <IconButton name="close" label="Close" onClick={onClose} />
      </header>
      <div className="dialog-body">{children}</div>
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
    <aside className="panel" aria-label={label}>
      <header>
        <h2 dir="auto">{title}</h2>
        <IconButton name="close" label="Close details" onClick={onClose} />
      </header>
      {actions !== undefined && <div className="actions">{actions}</div>}
      <div className="panel-body" tabIndex={0} role="group" aria-label={`${label}: content`}>
        {children}
      </div>
    </aside>
  );
}
