/** The control of one field of a form, by its schema in the contract. */
import { type ReactNode, useId } from 'react';
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { toLabel, toText } from '../api/index.ts';
import { Button, IconButton } from './elements.tsx';
import { type Values, isMultiline } from './form-body.ts';
import { RecordPicker } from './record-picker.tsx';

const FIELD = 'field grid min-w-0 gap-1';
const WIDE = 'col-span-full';

export interface FieldProps {
  readonly name: string;
  /** From the body: `/lines/0/quantity`. */
  readonly path: string;
  readonly schema: AnySchema;
  readonly value: unknown;
  /** Messages by path. */
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (value: unknown) => void;
  /** Of the line that it belongs to, from 1. */
  readonly line?: number;
  /** Of the elements of a list of objects. */
  readonly lineFields?: readonly string[];
}

export function Field(props: FieldProps) {
  const { name, path, schema, problems, value, onChange, line } = props;
  const id = useId();
  const problem = problems.get(path);
  const label = toLabel(name);
  const isLine = line !== undefined;
  const note = problem ?? (isLine ? undefined : schema.description);
  if (schema.kind === 'array' && schema.items.kind === 'object') return <LinesField {...props} item={schema.items} label={label} />;
  if (schema.kind === 'array' && schema.items.kind === 'enum')
    return <ChoicesField label={label} values={schema.items.values} value={value} problem={problem} onChange={onChange} />;
  if (schema.kind === 'boolean')
    return (
      <Check label={label} isOn={value === true} onChange={onChange}>
        {schema.description !== undefined && <small>{schema.description}</small>}
      </Check>
    );
  return (
    <div
      className={
        isLine ? `${FIELD} ${schema.refersTo ? 'flex-[3_1_13rem]' : 'flex-[1_1_6rem]'}` : `${FIELD} ${isMultiline(schema) ? WIDE : ''}`
      }
    >
      <label htmlFor={id} className={isLine ? 'text-xs text-soft' : 'font-semibold'}>
        {label}
        {isLine ? (
          <span className="sr-only">{`, line ${String(line)}`}</span>
        ) : (
          !schema.optional && <span className="font-normal text-soft"> required</span>
        )}
      </label>
      <Control {...props} id={id} noteId={note === undefined ? undefined : `${id}-note`} />
      <Note id={`${id}-note`} text={note} isProblem={problem !== undefined} />
    </div>
  );
}

const Note = ({ id, text, isProblem }: { readonly id?: string; readonly text: string | undefined; readonly isProblem: boolean }) =>
  text !== undefined && (
    <small id={id} className={isProblem ? 'problem text-bad' : 'line-clamp-2 leading-[1.35]'}>
      {text}
    </small>
  );

/** A control below its name. */
export const Labeled = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <label className="grid gap-1">
    <span className="font-semibold">{label}</span>
    {children}
  </label>
);

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children?: ReactNode;
}

export const Check = ({ label, isOn, onChange, children }: CheckProps) => (
  <label className="grid grid-cols-[auto_1fr] gap-x-2 gap-y-1 [&>small]:col-start-2">
    <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
    <span className="font-semibold">{label}</span>
    {children}
  </label>
);

type ControlProps = FieldProps & { readonly id: string; readonly noteId: string | undefined };

function Control({ schema, value, problems, path, onChange, id, noteId }: ControlProps) {
  const text = toText(value);
  const common = { id, value: text, 'aria-invalid': problems.has(path) || undefined, 'aria-describedby': noteId };
  const onInput = ({ target }: { readonly target: { readonly value: string } }): void => onChange(target.value);
  if (schema.refersTo) return <RecordPicker {...common} kind={schema.refersTo} onPick={onChange} />;
  if (schema.kind === 'enum')
    return (
      <select {...common} onChange={onInput}>
        {(schema.optional || text === '') && schema.default === undefined && <option value="">–</option>}
        {schema.values.map((option) => (
          <option key={option} value={option}>
            {toLabel(option)}
          </option>
        ))}
      </select>
    );
  if (isMultiline(schema)) return <textarea {...common} rows={3} dir="auto" onChange={onInput} />;
  if (schema.kind === 'number') return <input {...common} inputMode="decimal" className="number" onChange={onInput} />;
  const isDay = schema.kind === 'string' && schema.format === 'date';
  return <input {...common} type={isDay ? 'date' : 'text'} dir="auto" onChange={onInput} />;
}

interface ChoicesProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly value: unknown;
  readonly problem: string | undefined;
  readonly onChange: (value: unknown) => void;
}

function ChoicesField({ label, values, value, problem, onChange }: ChoicesProps) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  return (
    <fieldset className={`${FIELD} ${WIDE} grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-x-4`}>
      <legend className="mb-1 font-semibold">{label}</legend>
      <Note text={problem} isProblem />
      {values.map((option) => (
        <label key={option} className="flex gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ target }) => onChange(values.filter((other) => (other === option ? target.checked : chosen.includes(other))))}
          />
          {option}
        </label>
      ))}
    </fieldset>
  );
}

type LinesProps = FieldProps & { readonly item: ObjectSpec; readonly label: string };

function LinesField({ path, value, problems, onChange, lineFields = [], item, label }: LinesProps) {
  const lines = Array.isArray(value) ? (value as readonly Values[]) : [];
  const fields = lineFields.flatMap((name) => (item.properties[name] ? [[name, item.properties[name]] as const] : []));
  return (
    <fieldset className={`${FIELD} ${WIDE} justify-items-start gap-2`}>
      <legend className="mb-1 font-semibold">{label}</legend>
      <Note text={problems.get(path)} isProblem />
      {lines.map((line, at) => (
        // Lines have no id before they are saved.
        <div key={String(at)} className="flex w-full flex-wrap items-end gap-2">
          {fields.map(([name, schema]) => (
            <Field
              key={name}
              {...{ name, schema, problems, value: line[name], line: at + 1 }}
              path={`${path}/${String(at)}/${name}`}
              onChange={(next) => onChange(lines.with(at, { ...line, [name]: next }))}
            />
          ))}
          <IconButton name="close" label={`Remove line ${String(at + 1)}`} onClick={() => onChange(lines.toSpliced(at, 1))} />
        </div>
      ))}
      <Button icon="plus" kind="quiet" onClick={() => onChange([...lines, {}])}>
        Add a line
      </Button>
    </fieldset>
  );
}
