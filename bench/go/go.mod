module hashmill/bench/go

go 1.21
