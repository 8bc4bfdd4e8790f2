/** Simulates the business of a tenant through its API, one event at a time. Which event happens next depends on stock and open orders. */
import { ApiError } from '../../client/errors.ts';
import { type Api, type Company, openCompany, refreshLevels } from './company.ts';
import type { Activity, BusinessEvent } from './events.ts';
import { listSalesActivities } from './sales.ts';
import { listSupplyActivities } from './supply.ts';

/** Someone else may change the same records; more failures than this in a row have another cause. */
const MAX_CONFLICTS = 5;
const MAX_TRIES = 3;

export async function openBusiness(api: Api, random: () => number) {
  let company = await openCompany(api, random);
  let conflicts = 0;
  const tryNext = async (): Promise<BusinessEvent | undefined> => {
    try {
      await refreshLevels(company);
      const event = await chooseActivity(company)?.();
      conflicts = 0;
      return event;
    } catch (error) {
      if (!isConflict(error) || ++conflicts > MAX_CONFLICTS) throw error;
      company = await openCompany(api, random);
      return undefined;
    }
  };
  return {
    /** Does the next thing and returns what happened; undefined if there is nothing to do. */
    async next(): Promise<BusinessEvent | undefined> {
      for (let count = 0; count < MAX_TRIES; count += 1) {
        const event = await tryNext();
        if (event) return event;
      }
      return undefined;
    },
  };
}

/** The record was changed or deleted by someone else since it was read. */
const isConflict = (error: unknown): boolean => error instanceof ApiError && [404, 409, 412].includes(error.status);

function chooseActivity(company: Company): Activity[1] | undefined {
  const activities = [...listSalesActivities(company), ...listSupplyActivities(company)];
  let left = company.random() * activities.reduce((sum, [weight]) => sum + weight, 0);
  return activities.find(([weight]) => (left -= weight) <= 0)?.[1];
}
