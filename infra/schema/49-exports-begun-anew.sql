-- Only processes of earlier versions begin an export again: when a letter or logo of its account is erased. They then make
-- its archive without pieces, so it counts as one of theirs, to be removed.

create function exports.begun_anew() returns trigger language plpgsql as $$
begin
  new.in_pieces := false;
  return new;
end $$;
create trigger begun_anew before update of run on exports.exports
  for each row when (new.run is distinct from old.run) execute function exports.begun_anew();
