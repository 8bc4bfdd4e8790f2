/** A quantity in the row of a table. Enter leads to that of the next row. */
import type { KeyboardEvent } from 'react';

interface QuantityInputProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** NaN if there is none. A comma is a decimal point, too. */
export const parseQuantity = (text = ''): number => (text.trim() === '' ? NaN : Number(text.trim().replace(',', '.')));

export const QuantityInput = ({ label, value = '', onChange }: QuantityInputProps) => (
  <span className="grid justify-items-end">
    <input
      className="number max-h-6.5 min-h-6.5 max-w-28 py-px"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={(value.trim() !== '' && !(parseQuantity(value) >= 0)) || undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={focusNext}
    />
  </span>
);

function focusNext(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  event.currentTarget.closest('[data-index], tr')?.nextElementSibling?.querySelector('input')?.focus();
}
