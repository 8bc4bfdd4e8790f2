/** The keys. */
import { Dialog, FACT } from '../ui/index.ts';

const KEYS = [
  ['Ctrl K', 'Search records and go to a view'],
  ['/', 'Search in the list'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close details or dialog'],
  ['?', 'Show these keys'],
] as const;

export const Help = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl className="grid gap-1.25">
      {KEYS.map(([key, text]) => (
        <div key={key} className={FACT}>
          <dt>
            <kbd className="rounded-md border border-strong bg-back px-1.5 py-px">{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
