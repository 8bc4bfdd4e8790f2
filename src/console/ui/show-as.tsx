/** "Show as": the request behind a view or a button as curl, as a command and in TypeScript. */
import { useState } from 'react';
import { type Sample, toCommand, toCurl, toTypeScript, useAccess } from '../api/index.ts';
import { Dialog, DialogButton } from './dialog.tsx';
import { Button } from './elements.tsx';
import { Tabs } from './tabs.tsx';

const FORMS = { curl: toCurl, Command: toCommand, TypeScript: toTypeScript } as const;
const NAMES = Object.keys(FORMS) as readonly (keyof typeof FORMS)[];

interface ShowAsProps {
  readonly samples: readonly Sample[];
}

export const ShowAs = ({ samples }: ShowAsProps) => (
  <DialogButton label="Show as" icon="code" kind="quiet" title="The requests of this view">
    {(close) => (
      <Dialog title="Show as" size="large" onClose={close}>
        <Samples samples={samples} />
      </Dialog>
    )}
  </DialogButton>
);

function Samples({ samples }: ShowAsProps) {
  const [form, setForm] = useState(NAMES[0] ?? 'curl');
  const { can } = useAccess();
  const allowed = samples.filter(({ op }) => can(op));
  return (
    <>
      <Tabs label="Form" names={NAMES} selected={form} onSelect={setForm} />
      {allowed.map((sample) => (
        <SampleText key={sample.op.id} title={sample.op.summary} text={FORMS[form](sample, location.origin)} />
      ))}
    </>
  );
}

function SampleText({ title, text }: { readonly title: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <section>
      <header className="flex items-center justify-between gap-2">
        <h3>{title}</h3>
        <Button kind="quiet" onClick={() => void copy().catch(() => undefined)}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </header>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
