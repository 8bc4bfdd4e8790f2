/** Line icons of 16 by 16, drawn in the color of the text. */
const PATHS = {
  overview: 'M2 2h5v7H2zM9 2h5v4H9zM9 8h5v6H9zM2 11h5v3H2z',
  items: 'M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6',
  orders: 'M4 2h8v12l-2-1.2L8 14l-2-1.2L4 14zM6 5.5h4M6 8.5h4',
  stock: 'M2 14V6l6-4 6 4v8M5 14V9h6v5M5 11.5h6',
  contacts: 'M8 8a3 3 0 100-6 3 3 0 000 6zM2.5 14c.6-3 2.700-4.500 5.500-4.500s4.900 1.500 5.500 4.500',
  deliveries: 'M14 2L7 9M14 2l-4.500 12L7 9 2 6.500z',
  events: 'M9 1.500L3.500 9H8l-1 5.500L12.500 7H8z',
  requests: 'M2 5h11M10 2l3 3-3 3M14 11H3M6 8l-3 3 3 3',
  audit: 'M8 1.500l5.500 2v4c0 3.500-2.300 5.800-5.500 7-3.200-1.200-5.500-3.500-5.500-7v-4zM5.500 8l2 2 3.500-4',
  lab: 'M6 2h4M7 2v4.500L3 13a.7.7 0 00.600 1h8.800a.7.7 0 00.600-1L9 6.500V2M5 10.500h6',
  search: 'M7 12A5 5 0 107 2a5 5 0 000 10zM10.700 10.700L14 14',
  close: 'M3.500 3.500l9 9M12.500 3.500l-9 9',
  menu: 'M2 4h12M2 8h12M2 12h12',
  code: 'M5.500 4L2 8l3.500 4M10.500 4L14 8l-3.500 4',
  download: 'M8 2v8M4.500 7L8 10.500 11.500 7M2.500 13.500h11',
  plus: 'M8 3v10M3 8h10',
  sun: 'M8 11a3 3 0 100-6 3 3 0 000 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  screen: 'M2 3h12v8H2zM8 11v3M5 14h6',
  exit: 'M9 2H3v12h6M7 8h7M11 5l3 3-3 3',
  warning: 'M8 2l6.500 11.500h-13zM8 6.500v3M8 11.500v.1',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    className="size-4 flex-none fill-none stroke-current stroke-[1.4]"
    viewBox="0 0 16 16"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);
