/** A short table inside details, without pages. */
import type { ReactNode } from 'react';

interface MiniTableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly { readonly title: string; readonly isNumber?: boolean; readonly render: (row: T) => ReactNode }[];
  readonly empty: string;
}

export function MiniTable<T>({ label, rows, columns, empty }: MiniTableProps<T>) {
  if (rows.length === 0) return <p className="soft">{empty}</p>;
  return (
    <div className="mini-scroll" tabIndex={0} role="group" aria-label={`${label}: table`}>
      <table className="mini" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // The rows of such a table are replaced together.
            <tr key={String(at)}>
              {columns.map(({ title, isNumber, render }) => (
                <td key={title} className={isNumber ? 'number' : undefined} dir={isNumber ? undefined : 'auto'}>
                  {render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
