/** The command palette: views, new records, and the records that a search finds. */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useLocation } from 'wouter';
import type { Operation } from '../../contract/operation.ts';
import { createContact, listContacts } from '../../contract/resources/contacts.ts';
import { createItem, listItems } from '../../contract/resources/items.ts';
import { createOrder, listOrders } from '../../contract/resources/orders.ts';
import { createStockDocument, listStockDocuments } from '../../contract/resources/stock-documents.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { type Access, toLabel, toText, useAccess } from '../api/index.ts';
import { Combobox, Dialog, Icon, type IconName, describeRecord, getList, getName, readRecords } from '../ui/index.ts';
import { listEntries } from './views.ts';

interface Entry {
  readonly title: string;
  readonly note: string;
  readonly icon: IconName;
  readonly href: string;
}

const FOUND_MAX = 5;

/** With what a session must be able to do. */
const COMMANDS: readonly (readonly [entry: Entry, needs: readonly Operation[]])[] = [
  [{ title: 'New item', note: 'Create', icon: 'plus', href: '/items?new=true' }, [listItems, createItem]],
  [{ title: 'New order', note: 'Create', icon: 'plus', href: '/orders?new=true' }, [listOrders, createOrder]],
  [
    { title: 'New stock document', note: 'Create', icon: 'plus', href: '/stock/documents?new=true' },
    [listStockDocuments, createStockDocument],
  ],
  [{ title: 'New contact', note: 'Create', icon: 'plus', href: '/contacts?new=true' }, [listContacts, createContact]],
  [{ title: 'Late orders', note: 'Filter', icon: 'orders', href: '/orders?overdue=true' }, [listOrders]],
  [{ title: 'Low stock', note: 'Filter', icon: 'stock', href: '/stock?low_stock=true' }, [listStockLevels]],
];

const listCommands = (access: Access): readonly Entry[] => [
  ...listEntries(access).map((entry) => ({ ...entry, note: 'View' })),
  ...COMMANDS.flatMap(([entry, needs]) => (needs.every(access.can) ? [entry] : [])),
];

/** Kinds of records that a search finds. The plural is the path and the icon of their view. */
const FOUND = ['item', 'order', 'contact'] as const;

async function findRecords(search: string, { can }: Access): Promise<readonly Entry[]> {
  const lists = FOUND.filter((kind) => can(getList(kind))).map(async (kind) => {
    const rows = await readRecords(kind, { search, page_size: FOUND_MAX }).catch(() => []);
    return rows.map((row): Entry => ({
      icon: `${kind}s`,
      title: [describeRecord(kind, row), getName(row['contact'])].filter(Boolean).join(' '),
      note: toLabel(toText(row['status']) || kind),
      href: `/${kind}s/${String(row['id'])}`,
    }));
  });
  return (await Promise.all(lists)).flat();
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const access = useAccess();
  const search = useDeferredValue(text.trim());
  const found = useQuery({ queryKey: ['palette', search], queryFn: () => findRecords(search, access), enabled: search.length > 1 });
  const words = text.trim().toLowerCase().split(/\s+/u);
  const commands = listCommands(access).filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  // Enter must not open what an earlier text found.
  const isCurrent = search === text.trim() && search.length > 1;
  const entries = [...commands, ...(isCurrent ? (found.data ?? []) : [])];
  return (
    <Dialog title="Search and go to" onClose={onClose}>
      <Combobox
        text={text}
        onText={setText}
        options={entries}
        getKey={({ href }) => href}
        show={({ icon, title, note }) => (
          <>
            <Icon name={icon} />
            <span className="flex-1 truncate" dir="auto">
              {title}
            </span>
            <small className="max-w-2/5 truncate">{note}</small>
          </>
        )}
        onChoose={({ href }) => {
          onClose();
          navigate(href);
        }}
        label="Results"
        input={{
          className: 'min-h-9 text-lg',
          'aria-label': 'Search',
          placeholder: 'A view, an item, an order number, a contact…',
          maxLength: 200,
        }}
      />
      {entries.length === 0 && <p className="text-soft">{found.isFetching ? 'Searching…' : 'Nothing found'}</p>}
    </Dialog>
  );
}
