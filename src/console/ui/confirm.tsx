/** Asks before a request, shows what it will do, and sends it. */
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { type Sample, callAny, queryClient } from '../api/index.ts';
import { Dialog, DialogButton, type DialogProps } from './dialog.tsx';
import { Button, Problem } from './elements.tsx';
import { ShowAs } from './show-as.tsx';

export interface ConfirmProps extends Omit<DialogProps, 'children'> {
  readonly action: string;
  readonly sample: Sample;
  readonly isDangerous?: boolean;
  /** Whether there is something to do. */
  readonly isReady?: boolean;
  /** May show errors at their fields. */
  readonly children?: ReactNode | ((error: unknown) => ReactNode);
  readonly describe?: (error: unknown) => unknown;
  readonly onDone?: (result: unknown) => void;
}

export function Confirm({ action, sample, isDangerous = false, isReady = true, children, describe, onDone, ...dialog }: ConfirmProps) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => callAny(sample.op, sample.parts),
    onSuccess: (result) => {
      dialog.onClose();
      onDone?.(result);
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && !isPending) mutate();
  };
  return (
    <Dialog {...dialog}>
      <form className="grid gap-3.5" noValidate onSubmit={submit}>
        <Problem error={describe ? describe(error) : error} />
        {typeof children === 'function' ? children(error) : children}
        <footer className="actions justify-end pt-2 *:first:mr-auto">
          <ShowAs samples={[sample]} />
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button type="submit" kind={isDangerous ? 'danger' : 'main'} disabled={isPending || !isReady}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

type ConfirmButtonProps = Omit<ConfirmProps, 'onClose'> & { readonly label: string; readonly kind?: 'main' | 'danger' };

/** A button that asks first. */
export const ConfirmButton = ({ label, kind, ...confirm }: ConfirmButtonProps) => (
  <DialogButton label={label} {...(kind && { kind })}>
    {(close) => <Confirm {...confirm} onClose={close} />}
  </DialogButton>
);
