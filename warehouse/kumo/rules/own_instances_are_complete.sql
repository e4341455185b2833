-- every instance of KUMO has its row in kumo_instances
SELECT instance_id FROM instances ANTI JOIN kumo_instances USING (instance_id)
