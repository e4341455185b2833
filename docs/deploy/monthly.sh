#!/usr/bin/env bash
# crontab: 17 3 1 * *  /srv/perennial/monthly.sh >> /srv/perennial/monthly.log 2>&1
cd /srv/perennial || exit 1
. ./keys.sh               # exports the keys of models; mode 0600
edition=monthly-$(date -u +%Y-%m)
perennial refresh --edition "$edition" &&
    perennial evaluate "$edition" --name models --players gpt-4.1-mini,o3 --max-cost 20
status=$?
perennial site public && exit "$status"
