/** A filter with one value of a few. */
interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
  /** What no value means; false if there is always one. */
  readonly none?: string | false;
  readonly toText?: (value: string) => string;
}

export const Choice = ({ label, value = '', values, onChange, none = 'Any', toText = (text) => text }: ChoiceProps) => (
  <label className={`filter ${value === '' ? '' : 'active'}`}>
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.target.value)}>
      {none !== false && <option value="">{none}</option>}
      {[...values, ...(value === '' || values.includes(value) ? [] : [value])].map((option) => (
        <option key={option} value={option}>
          {toText(option)}
        </option>
      ))}
    </select>
  </label>
);
