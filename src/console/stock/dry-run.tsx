/** The effect of an action on a stock document, from a dry run. */
import { useQuery } from '@tanstack/react-query';
import type { Operation } from '../../contract/operation.ts';
import type { StockDocument } from '../../contract/resources/stock-documents.ts';
import { callAny, describeError } from '../api/client.ts';
import { EffectTable } from '../ui/effect-table.tsx';

export function DryRun({ op, params }: { readonly op: Operation; readonly params: Readonly<Record<string, string>> }) {
  const { data, error } = useQuery({
    queryKey: [op.id, 'dry run', params],
    // The result of these operations is the document.
    queryFn: async () => ((await callAny(op, { params, query: { dry_run: true }, body: {} })) as { data: StockDocument }).data,
    gcTime: 0,
  });
  if (error)
    return (
      <p className="form-error" role="alert">
        {describeError(error)}
      </p>
    );
  return data?.stockEffects ? <EffectTable effects={data.stockEffects} /> : null;
}
