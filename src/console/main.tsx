/** The console: one page over the published API. */
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { fixLocale, queryClient } from './api/index.ts';
import { App } from './shell/app.tsx';
import { applyPreferences } from './shell/preferences.ts';

fixLocale();
applyPreferences();
const root = document.querySelector('#root');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <Router base="/console">
        <App />
      </Router>
    </QueryClientProvider>,
  );
