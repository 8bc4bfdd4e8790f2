/** Creates or changes a record, in a form that is generated from the body of the operation. Errors are shown at their fields. */
import { useState } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { ApiError, describeError, useAccess } from '../api/index.ts';
import { Confirm } from './confirm.tsx';
import { DialogButton } from './dialog.tsx';
import { Button, type ButtonProps } from './elements.tsx';
import { Field } from './field.tsx';
import { type Values, getDefaults, listFields, toBody, toChanges } from './form-body.ts';
import { useFlag } from './url.ts';

interface RecordFormProps {
  readonly title: string;
  readonly op: Operation;
  readonly params?: Readonly<Record<string, string>>;
  /** Fields that are not asked for. */
  readonly omit?: readonly string[];
  /** The record that is changed. */
  readonly record?: Values;
  readonly initial?: Values;
  /** Of the elements of a list of objects. */
  readonly lineFields?: readonly string[];
  readonly onClose: () => void;
  readonly onSaved?: (result: unknown) => void;
}

export function RecordForm(props: RecordFormProps) {
  const { title, op, params = {}, omit = [], initial, lineFields, onClose, onSaved } = props;
  // As it was when the form was opened: changes of others since then are no changes of the form.
  const [record] = useState(props.record);
  const spec = op.body ?? { kind: 'object' as const, properties: {} };
  const fields = listFields(spec).filter(([name]) => !omit.includes(name));
  const [values, setValues] = useState<Values>({ ...getDefaults(spec), ...record, ...initial });
  const asked = { ...spec, properties: Object.fromEntries(fields) };
  const body = record ? toChanges(asked, values, record) : toBody(asked, values);
  const isAtField = (error: unknown): boolean =>
    [...toProblems(error).keys()].some((path) => fields.some(([name]) => path.split('/')[1] === name));
  return (
    <Confirm
      title={title}
      size="large"
      action={record ? 'Save' : 'Create'}
      sample={{ op, parts: { params, body } }}
      isReady={record === undefined || Object.keys(body).length > 0}
      describe={(error) => (isAtField(error) ? `Not saved. ${describeError(error)}` : error)}
      onClose={onClose}
      {...(onSaved && { onDone: onSaved })}
    >
      {(error) => (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(13.5rem,1fr))] items-start gap-x-4 gap-y-3.5">
          {fields.map(([name, schema]) => (
            <Field
              key={name}
              {...{ name, schema, path: `/${name}`, problems: toProblems(error), value: values[name], ...(lineFields && { lineFields }) }}
              onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
            />
          ))}
        </div>
      )}
    </Confirm>
  );
}

export type NewButtonProps = Omit<RecordFormProps, 'onClose'>;

/** A button that opens a form. */
export const FormButton = ({ label, icon, ...form }: NewButtonProps & Pick<ButtonProps, 'icon'> & { readonly label: string }) => (
  <DialogButton label={label} op={form.op} {...(icon && { icon })}>
    {(close) => <RecordForm {...form} onClose={close} />}
  </DialogButton>
);

/** A button for a new record, whose form is open while the address says so. */
export function NewButton(form: NewButtonProps) {
  const [isNew, setNew] = useFlag('new');
  const { can } = useAccess();
  return (
    <>
      <Button kind="main" icon="plus" op={form.op} onClick={() => setNew(true)}>
        {form.title}
      </Button>
      {isNew && can(form.op) && <RecordForm {...form} onClose={() => setNew(false)} />}
    </>
  );
}

function toProblems(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  return new Map((error.fields ?? []).filter((field) => field.in === 'body').map(({ path, message }) => [path, message]));
}
