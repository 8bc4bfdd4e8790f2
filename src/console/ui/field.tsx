/** The control of one field of a form, by its schema in the contract. */
import { useId } from 'react';
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { MULTIPLE_LINES } from '../../contract/schema/text.ts';
import { toLabel, toText } from '../api/format.ts';
import { Button, IconButton } from './elements.tsx';
import { RecordPicker } from './record-picker.tsx';

export type Values = Readonly<Record<string, unknown>>;

export interface FieldProps {
  readonly name: string;
  /** From the body: `/lines/0/quantity`. */
  readonly path: string;
  readonly schema: AnySchema;
  readonly value: unknown;
  /** Messages by path. */
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (value: unknown) => void;
  /** Of the elements of a list of objects. */
  readonly lineFields?: readonly string[];
}

export function Field(props: FieldProps) {
  const { name, path, schema, problems, value, onChange } = props;
  const id = useId();
  const problem = problems.get(path);
  const label = toLabel(name);
  if (schema.kind === 'array' && schema.items.kind === 'object') return <LinesField {...props} item={schema.items} label={label} />;
  if (schema.kind === 'array' && schema.items.kind === 'enum')
    return <ChoicesField label={label} values={schema.items.values} value={value} problem={problem} onChange={onChange} />;
  if (schema.kind === 'boolean')
    return (
      <label className="field check">
        <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
        <span>{label}</span>
        {schema.description !== undefined && <small>{schema.description}</small>}
      </label>
    );
  const isRequired = !schema.optional;
  return (
    <div className={`field ${isWide(schema) ? 'wide' : ''}`}>
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="required"> required</span>}
      </label>
      <Control {...props} id={id} describedBy={problem === undefined && schema.description === undefined ? undefined : `${id}-note`} />
      {(problem ?? schema.description) !== undefined && (
        <small id={`${id}-note`} className={problem === undefined ? undefined : 'problem'}>
          {problem ?? schema.description}
        </small>
      )}
    </div>
  );
}

const isWide = (schema: AnySchema): boolean => schema.kind === 'string' && schema.pattern === MULTIPLE_LINES;

type ControlProps = FieldProps & { readonly id: string; readonly describedBy: string | undefined; readonly label?: string };

function Control({ schema, value, problems, path, onChange, id, describedBy, label }: ControlProps) {
  const isInvalid = problems.has(path);
  const text = toText(value);
  const common = { id, 'aria-invalid': isInvalid || undefined, 'aria-describedby': describedBy, 'aria-label': label };
  if (schema.refersTo)
    return <RecordPicker {...{ kind: schema.refersTo, id, value: text, isInvalid, describedBy, onChange, ...(label && { label }) }} />;
  if (schema.kind === 'enum')
    return (
      <select {...common} value={text} onChange={(event) => onChange(event.target.value)}>
        {(schema.optional || text === '') && schema.default === undefined && <option value="">–</option>}
        {schema.values.map((option) => (
          <option key={option} value={option}>
            {toLabel(option)}
          </option>
        ))}
      </select>
    );
  if (schema.kind === 'string' && schema.pattern === MULTIPLE_LINES)
    return <textarea {...common} rows={3} dir="auto" value={text} onChange={(event) => onChange(event.target.value)} />;
  if (schema.kind === 'number')
    return <input {...common} inputMode="decimal" className="number" value={text} onChange={(event) => onChange(event.target.value)} />;
  const isDay = schema.kind === 'string' && schema.format === 'date';
  return <input {...common} type={isDay ? 'date' : 'text'} dir="auto" value={text} onChange={(event) => onChange(event.target.value)} />;
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
    <fieldset className="field wide choices">
      <legend>{label}</legend>
      {problem !== undefined && <small className="problem">{problem}</small>}
      {values.map((option) => (
        <label key={option}>
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

function LinesField({
  path,
  value,
  problems,
  onChange,
  lineFields = [],
  item,
  label,
}: FieldProps & { readonly item: ObjectSpec; readonly label: string }) {
  const lines = Array.isArray(value) ? (value as readonly Values[]) : [];
  const fields = lineFields.flatMap((name) => (item.properties[name] ? [[name, item.properties[name]] as const] : []));
  const replace = (at: number, line: Values | undefined): void =>
    onChange(lines.flatMap((other, index) => (index === at ? (line ? [line] : []) : [other])));
  return (
    <fieldset className="field wide lines">
      <legend>{label}</legend>
      {problems.has(path) && <small className="problem">{problems.get(path)}</small>}
      {lines.map((line, at) => (
        // Lines have no id before they are saved.
        <div key={String(at)} className="line">
          {fields.map(([name, schema]) => (
            <LineControl
              key={name}
              {...{ name, schema, problems, value: line[name] }}
              path={`${path}/${String(at)}/${name}`}
              label={`${toLabel(name)}, line ${String(at + 1)}`}
              onChange={(next) => replace(at, { ...line, [name]: next })}
            />
          ))}
          <IconButton name="close" label={`Remove line ${String(at + 1)}`} onClick={() => replace(at, undefined)} />
        </div>
      ))}
      <Button icon="plus" kind="quiet" onClick={() => onChange([...lines, {}])}>
        Add a line
      </Button>
    </fieldset>
  );
}

function LineControl(props: FieldProps & { readonly label: string }) {
  const id = useId();
  const problem = props.problems.get(props.path);
  return (
    <div className={`line-field ${props.schema.refersTo ? 'record' : ''}`}>
      <span aria-hidden="true">{props.label.replace(/, line \d+$/u, '')}</span>
      <Control {...props} id={id} describedBy={problem === undefined ? undefined : `${id}-note`} />
      {problem !== undefined && (
        <small id={`${id}-note`} className="problem">
          {problem}
        </small>
      )}
    </div>
  );
}
