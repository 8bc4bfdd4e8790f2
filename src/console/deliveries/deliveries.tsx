/** Webhooks: the log of deliveries, and the endpoints with their health. */
import { Link } from 'wouter';
import { useSubPath } from '../ui/selection.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { Endpoints } from './endpoints.tsx';

export default function Deliveries() {
  const [first, second] = useSubPath();
  const isEndpoints = first === 'endpoints';
  const tabs = (
    <nav className="tabs" aria-label="Deliveries">
      <Link href="/deliveries" aria-current={isEndpoints ? undefined : 'page'}>
        Log
      </Link>
      <Link href="/deliveries/endpoints" aria-current={isEndpoints ? 'page' : undefined}>
        Endpoints
      </Link>
    </nav>
  );
  return isEndpoints ? <Endpoints id={second} tabs={tabs} /> : <DeliveryLog id={first} tabs={tabs} />;
}
