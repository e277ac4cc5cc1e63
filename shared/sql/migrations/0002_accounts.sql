-- Claims beside an account that holds its share: the heads of all others in a lane, one index position per account.

CREATE INDEX tasks_claimable_by_account ON tasks (stage, lane, account, order_by)
    WHERE wake_at IS NULL AND stage IS NOT NULL;
