/** Contacts: the list, and the details of one with its orders. */
import { type Contact, createContact, deleteContact, getContact, listContacts, updateContact } from '../../contract/resources/contacts.ts';
import { ALL_MODULES, listOrders } from '../../contract/resources/orders.ts';
import { type Cell, ListView, QuerySection } from '../ui/index.ts';

const FIELDS: readonly Cell<Contact>[] = [
  { title: 'Name', width: 'minmax(7rem, 2fr)', sort: 'name', value: 'name', isListOnly: true },
  { title: 'Company', width: 'minmax(7rem, 2fr)', sort: 'company', value: 'company' },
  { title: 'Type', width: '5.5rem', as: 'label', value: 'contactType' },
  { title: 'E-mail', width: 'minmax(9rem, 2fr)', rank: 42, value: 'email' },
  { title: 'Phone', width: 'minmax(7rem, 1fr)', rank: 56, value: 'phone' },
  { title: 'Country', width: '4.5rem', rank: 48, value: 'country' },
  { title: 'Group', width: 'minmax(5rem, 1fr)', rank: 66, value: 'contactGroup' },
  { title: 'Primary contact', value: ({ isPrimaryContact }) => (isPrimaryContact ? 'Yes' : '') },
  { title: 'State', as: 'status', value: ({ isActive }) => (isActive ? '' : 'inactive') },
  { title: 'Changed', as: 'time', value: 'updatedAt' },
];

export const Contacts = () => (
  <ListView<Contact>
    title="Contacts"
    path="/contacts"
    op={listContacts}
    filters={['contact_types', 'is_active']}
    columns={FIELDS}
    empty="No contacts yet"
    create={{ title: 'New contact', op: createContact }}
    details={{
      label: 'Contact',
      op: getContact,
      getTitle: ({ name }) => name,
      edit: { op: updateContact },
      remove: { op: deleteContact, note: 'A contact that orders refer to cannot be deleted.' },
      children: ({ id }) => <LatestOrders contactId={id} />,
    }}
  />
);

const LatestOrders = ({ contactId }: { readonly contactId: string }) => (
  <QuerySection
    title="Latest orders"
    op={listOrders}
    parts={{ query: { module: ALL_MODULES, contact_id: contactId, include: 'totals', page_size: 20 } }}
    empty="No orders"
    columns={[
      { title: 'Order', as: 'order', value: (row) => row },
      { title: 'Status', as: 'status', value: 'status' },
      { title: 'Total', as: 'money', value: 'total', currency: ({ currency }) => currency },
      { title: 'Due', as: 'day', value: 'dueDate' },
    ]}
  />
);
