/** Asks before a request, shows what it will do, and sends it. */
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { type Sample, callAny, queryClient } from '../api/index.ts';
import { Dialog, DialogButton, type DialogProps } from './dialog.tsx';
import { DryRun } from './dry-run.tsx';
import { Button, Problem } from './elements.tsx';
import { ShowAs } from './show-as.tsx';

export interface ConfirmProps extends Omit<DialogProps, 'children'> {
  readonly action: string;
  readonly sample: Sample;
  readonly kind?: 'main' | 'danger';
  /** What it does. */
  readonly note?: string;
  /** Whether it shows what a dry run says. */
  readonly isPreviewed?: boolean;
  /** Whether there is something to do. */
  readonly isReady?: boolean;
  /** May show errors at their fields. */
  readonly children?: ReactNode | ((error: unknown) => ReactNode);
  readonly describe?: (error: unknown) => unknown;
  readonly onDone?: (result: unknown) => void;
}

export function Confirm(props: ConfirmProps) {
  const { action, sample, kind = 'main', note, isPreviewed = false, isReady = true, children, describe, onDone, ...dialog } = props;
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
        {note && <p>{note}</p>}
        {typeof children === 'function' ? children(error) : children}
        {isPreviewed && <DryRun {...sample} />}
        <footer className="actions justify-end pt-2 *:first:mr-auto">
          <ShowAs samples={[sample]} />
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button type="submit" kind={kind} disabled={isPending || !isReady}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

type ConfirmButtonProps = Omit<ConfirmProps, 'onClose' | 'action'> & { readonly label: string; readonly action?: string };

/** A button that asks first. */
export const ConfirmButton = ({ label, action = label, ...confirm }: ConfirmButtonProps) => (
  <DialogButton label={label} op={confirm.sample.op} {...(confirm.kind && { kind: confirm.kind })}>
    {(close) => <Confirm {...confirm} action={action} onClose={close} />}
  </DialogButton>
);
