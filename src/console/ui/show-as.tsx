/** "Show as": the request behind a view or a button as curl, as a command and in TypeScript. */
import { useState } from 'react';
import { type Sample, toCommand, toCurl, toTypeScript } from '../api/samples.ts';
import { Dialog } from './dialog.tsx';
import { Button } from './elements.tsx';

const FORMS = {
  curl: toCurl,
  Command: (sample: Sample) => toCommand(sample),
  TypeScript: toTypeScript,
} as const;
type Form = keyof typeof FORMS;

export function ShowAs({ samples }: { readonly samples: readonly Sample[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="code" kind="quiet" onClick={() => setOpen(true)} title="The requests of this view">
        Show as
      </Button>
      {isOpen && <SampleDialog samples={samples} onClose={() => setOpen(false)} />}
    </>
  );
}

function SampleDialog({ samples, onClose }: { readonly samples: readonly Sample[]; readonly onClose: () => void }) {
  const [form, setForm] = useState<Form>('curl');
  return (
    <Dialog title="Show as" size="large" onClose={onClose}>
      <div className="tabs" role="tablist" aria-label="Form">
        {(Object.keys(FORMS) as Form[]).map((name) => (
          <button key={name} type="button" role="tab" aria-selected={name === form} onClick={() => setForm(name)}>
            {name}
          </button>
        ))}
      </div>
      {samples.map((sample) => (
        <SampleText key={sample.op.id} title={sample.op.summary} text={FORMS[form](sample, location.origin)} />
      ))}
    </Dialog>
  );
}

function SampleText({ title, text }: { readonly title: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <section className="sample">
      <header>
        <h3>{title}</h3>
        <Button kind="quiet" onClick={() => void copy().catch(() => undefined)}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </header>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
