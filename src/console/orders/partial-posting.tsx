/** Receives or ships a part of an order: one stock document, shown with its effect before it is posted. */
import { useState } from 'react';
import type { OrderLine } from '../../contract/resources/order-lines.ts';
import type { OrderDetail } from '../../contract/resources/orders.ts';
import {
  type StockDocument,
  approveStockDocument,
  createStockDocument,
  submitStockDocument,
} from '../../contract/resources/stock-documents.ts';
import { call, describeError } from '../api/client.ts';
import { useFormat } from '../api/format.ts';
import { queryClient } from '../api/queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/elements.tsx';
import { EffectTable } from '../ui/effect-table.tsx';
import { MiniTable } from '../ui/mini-table.tsx';
import { ShowAs } from '../ui/show-as.tsx';

export function PartialPosting({ order, onClose }: { readonly order: OrderDetail; readonly onClose: () => void }) {
  const lines = (order.lines ?? []).filter(({ itemId, remainingQuantity }) => itemId !== null && remainingQuantity > 0);
  const [quantities, setQuantities] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(lines.map(({ id, remainingQuantity }) => [id, String(remainingQuantity)])),
  );
  const [preview, setPreview] = useState<StockDocument>();
  const [problem, setProblem] = useState<string>();
  const verb = order.module === 'buy' ? 'Receive' : 'Ship';
  const body = {
    type: order.module === 'buy' ? ('receipt' as const) : ('issue' as const),
    orderId: order.id,
    lines: lines.flatMap(({ id, itemId, unitId }) => {
      const quantity = Number(quantities[id]?.replace(',', '.'));
      return quantity > 0 && itemId !== null ? [{ itemId, orderLineId: id, unitId, quantity }] : [];
    }),
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    await work().catch((error: unknown) => setProblem(describeError(error)));
  };
  const show = () => attempt(async () => setPreview((await call(createStockDocument, { body, query: { dry_run: true } })).data));
  const post = () =>
    attempt(async () => {
      // The preview has checked all three. What fails after the first leaves a draft, which is listed with the order.
      const { data } = await call(createStockDocument, { body, query: {} });
      const parts = { params: { document_id: data.id }, query: {}, body: {} };
      await call(submitStockDocument, parts);
      await call(approveStockDocument, parts);
      onClose();
    }).finally(() => void queryClient.invalidateQueries());
  return (
    <Dialog title={`${verb} a part of ${order.orderNumber}`} size="large" onClose={onClose}>
      {problem !== undefined && (
        <p className="form-error" role="alert">
          {problem}
        </p>
      )}
      <Quantities
        {...{ lines, quantities, verb }}
        onChange={(next) => {
          setQuantities(next);
          setPreview(undefined);
        }}
      />
      {preview?.stockEffects && <EffectTable effects={preview.stockEffects} />}
      <footer className="dialog-actions">
        <ShowAs samples={[{ op: createStockDocument, parts: { body, query: {} } }]} />
        <Button onClick={onClose}>Cancel</Button>
        {preview ? (
          <Button kind="main" onClick={() => void post()}>
            {verb}
          </Button>
        ) : (
          <Button kind="main" disabled={body.lines.length === 0} onClick={() => void show()}>
            Preview
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

type Values = Readonly<Record<string, string>>;

interface QuantitiesProps {
  readonly lines: readonly OrderLine[];
  readonly quantities: Values;
  readonly verb: string;
  readonly onChange: (quantities: Values) => void;
}

function Quantities({ lines, quantities, verb, onChange }: QuantitiesProps) {
  const { number } = useFormat();
  return (
    <MiniTable
      label="Quantities"
      rows={lines}
      empty="Everything was posted already"
      columns={[
        { title: 'Item', render: ({ itemName, description }) => itemName ?? description },
        {
          title: 'Remaining',
          isNumber: true,
          render: ({ remainingQuantity, unit }) => `${number(remainingQuantity)} ${unit?.symbol ?? ''}`,
        },
        {
          title: `${verb} now`,
          isNumber: true,
          render: ({ id, itemName }) => (
            <span className="line-field">
              <input
                className="number"
                inputMode="decimal"
                aria-label={`${verb} now: ${itemName ?? ''}`}
                value={quantities[id] ?? ''}
                onChange={(event) => onChange({ ...quantities, [id]: event.target.value })}
              />
            </span>
          ),
        },
      ]}
    />
  );
}
