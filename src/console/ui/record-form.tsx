/** Creates or changes a record, in a form that is generated from the body of the operation. Errors are shown at their fields. */
import { type FormEvent, useState } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { ApiError, callAny, describeError } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import { Dialog } from './dialog.tsx';
import { Button, Problem } from './elements.tsx';
import { Field, type Values } from './field.tsx';
import { getDefaults, toBody, toChanges } from './form-body.ts';
import { ShowAs } from './show-as.tsx';

export interface RecordFormProps {
  readonly title: string;
  readonly op: Operation;
  readonly params?: Readonly<Record<string, string>>;
  /** The fields that are shown, in this order. */
  readonly fields: readonly string[];
  /** The record that is changed. */
  readonly record?: Values;
  readonly initial?: Values;
  readonly lineFields?: readonly string[];
  readonly onClose: () => void;
  readonly onSaved?: (result: unknown) => void;
}

export function RecordForm({ title, op, params, fields, record, initial, lineFields, onClose, onSaved }: RecordFormProps) {
  const spec = op.body ?? { kind: 'object' as const, properties: {} };
  const [values, setValues] = useState<Values>({ ...getDefaults(spec), ...pick(record ?? {}, fields), ...initial });
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const body = record ? toChanges(spec, values, record) : toBody(spec, values);
  const problems = toProblems(error);
  const known = [...problems.keys()].some((path) => fields.includes(path.split('/')[1] ?? ''));
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const result = await callAny(op, { ...(params && { params }), body });
      await queryClient.invalidateQueries();
      onClose();
      onSaved?.(result);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} size="large" onClose={onClose}>
      <form className="form" noValidate onSubmit={(event) => void save(event)}>
        <Problem error={known ? `Not saved. ${describeError(error)}` : error} />
        <div className="fields">
          {fields.map((name) => {
            const schema = spec.properties[name];
            return (
              schema && (
                <Field
                  key={name}
                  {...{ name, schema, problems, path: `/${name}`, value: values[name], ...(lineFields && { lineFields }) }}
                  onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
                />
              )
            );
          })}
        </div>
        <footer>
          <ShowAs samples={[{ op, parts: { ...(params && { params }), body } }]} />
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="main" disabled={isBusy || (record !== undefined && Object.keys(body).length === 0)}>
            {record ? 'Save' : 'Create'}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

const pick = (record: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(record, name) ? [[name, record[name]]] : [])));

function toProblems(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  return new Map((error.fields ?? []).filter((field) => field.in === 'body').map(({ path, message }) => [path, message]));
}
