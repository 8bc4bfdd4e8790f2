/** The frame of all views: navigation, connection, palette and help. */
import { Suspense, useEffect, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import {
  AccessContext,
  signOut,
  useAccess,
  useConnection,
  useLiveRefresh,
  useOrganization,
  useSessionAccess,
  useToken,
  toLabel,
} from '../api/index.ts';
import { Choice, Empty, Icon, IconButton, Loading, Pending, Status, ViewTabs, useKeys } from '../ui/index.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';
import { SignIn, useLink } from './sign-in.tsx';
import { THEMES, usePreferences } from './preferences.ts';
import { findView, listEntries } from './views.ts';

export function App() {
  const token = useToken();
  const [link, endLink] = useLink();
  if (token !== null && !link) return <Shell key={token} />;
  return <SignIn key={link?.at} hash={link?.hash} onSignedIn={endLink} />;
}

function Shell() {
  useLiveRefresh();
  const { access, error } = useSessionAccess();
  return access ? (
    <AccessContext value={access}>
      <Page />
    </AccessContext>
  ) : (
    <main className="flex h-dvh flex-col">
      <ConnectionBanner />
      <Pending error={error} />
    </main>
  );
}

function Page() {
  const [open, setOpen] = useState<'palette' | 'help' | 'menu'>();
  const [location] = useLocation();
  useKeys({
    'mod+k': () => setOpen('palette'),
    '?': () => setOpen('help'),
    '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
  });
  const access = useAccess();
  const { found, isAllowed, tabs } = useMemo(() => findView(location, access), [location, access]);
  const { path, title = 'Not found', view: View } = found ?? {};
  useEffect(() => {
    document.title = `${title} · stockroom`;
    setOpen((now) => (now === 'menu' ? undefined : now));
  }, [title, location]);
  return (
    <div className="shell grid h-dvh grid-cols-[13rem_minmax(0,1fr)] max-md:grid-cols-1 max-md:grid-rows-[auto_minmax(0,1fr)]">
      <Navigation
        current={title}
        isOpen={open === 'menu'}
        onMenu={() => setOpen(open === 'menu' ? undefined : 'menu')}
        onPalette={() => setOpen('palette')}
      />
      <main className="flex min-h-0 flex-col">
        <ConnectionBanner />
        <ErrorBoundary key={path}>
          <Suspense fallback={<Loading />}>
            <ViewTabs value={tabs}>{View && isAllowed ? <View /> : <NoView exists={View !== undefined} />}</ViewTabs>
          </Suspense>
        </ErrorBoundary>
      </main>
      {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
      {open === 'help' && <Help onClose={() => setOpen(undefined)} />}
    </div>
  );
}

const NoView = ({ exists }: { readonly exists: boolean }) =>
  exists ? (
    <Empty title="Not available in this session">Its key lacks a scope of this view.</Empty>
  ) : (
    <Empty title="There is no such page">Choose another view.</Empty>
  );

const ENTRY = `bar w-full rounded-md px-2 py-1.5 text-soft hover:bg-hover hover:text-ink hover:no-underline
  aria-[current]:bg-plain-back aria-[current]:font-semibold aria-[current]:text-ink`;

interface NavigationProps {
  readonly current: string;
  readonly isOpen: boolean;
  readonly onMenu: () => void;
  readonly onPalette: () => void;
}

function Navigation({ current, isOpen, onMenu, onPalette }: NavigationProps) {
  const organization = useOrganization();
  const access = useAccess();
  return (
    <header className="nav flex min-h-0 flex-col overflow-y-auto border-r px-2 py-3 max-md:max-h-dvh max-md:border-r-0 max-md:border-b max-md:p-2">
      <div className="flex items-center gap-1 pr-1 pb-3 pl-2 max-md:pb-0">
        <Link href="/" className="bar min-w-0 flex-1 font-bold text-ink [&>svg]:text-brand">
          <Icon name="items" />
          <span className="truncate" dir="auto">
            {organization?.name ?? 'stockroom'}
          </span>
        </Link>
        {access.isReadOnly && <Status value="read-only" />}
        <IconButton name="search" label="Search and go to (Ctrl-K)" onClick={onPalette} />
        <span className="md:hidden">
          <IconButton name={isOpen ? 'close' : 'menu'} label={isOpen ? 'Close menu' : 'Open menu'} onClick={onMenu} />
        </span>
      </div>
      <nav aria-label="Views" className={`grid gap-px max-md:pt-2 ${isOpen ? '' : 'max-md:hidden'}`}>
        {listEntries(access).map(({ title, icon, href }) => (
          <Link key={title} href={href} className={ENTRY} aria-current={current === title ? 'page' : undefined}>
            <Icon name={icon} />
            {title}
          </Link>
        ))}
      </nav>
      <div className={`mt-auto pt-4 ${isOpen ? '' : 'max-md:hidden'}`}>
        <NavigationFoot />
      </div>
    </header>
  );
}

function NavigationFoot() {
  const { theme, isProjector } = usePreferences();
  return (
    <>
      <span
        className={`${ENTRY} [&>label]:min-h-0 [&>label]:flex-1 [&>label]:justify-between [&>label]:border-0 [&>label]:bg-transparent [&>label]:p-0`}
      >
        <Icon name="sun" />
        <Choice
          label="Colors"
          none={false}
          value={theme}
          values={THEMES}
          toText={toLabel}
          onChange={(name) => usePreferences.setState({ theme: THEMES.find((known) => known === name) ?? 'system' })}
        />
      </span>
      <button
        type="button"
        className={`${ENTRY} aria-pressed:text-brand`}
        aria-pressed={isProjector}
        onClick={() => usePreferences.setState({ isProjector: !isProjector })}
      >
        <Icon name="screen" />
        Projector
      </button>
      <button type="button" className={ENTRY} onClick={() => void signOut()}>
        <Icon name="exit" />
        Sign out
      </button>
    </>
  );
}

function ConnectionBanner() {
  const isConnected = useConnection();
  return (
    <div role="status">
      {!isConnected && (
        <p className="bar banner bg-busy-back px-side py-2 font-semibold text-busy">
          <Icon name="warning" /> The service does not answer. Trying again…
        </p>
      )}
    </div>
  );
}
